/**
 * Objects opened since the console was loaded, newest first. Memory only: titles contain personal
 * names.
 */
interface RecentPage {
  readonly path: string;
  readonly label: string;
}

const RECENT_MAX = 8;
let recent: readonly RecentPage[] = [];

export function remember(path: string, label: string): void {
  const [newest] = recent;
  if (label === "" || (newest?.path === path && newest.label === label)) return;
  recent = [{ path, label }, ...recent.filter((each) => each.path !== path)].slice(0, RECENT_MAX);
}

/** Recent pages of one account and mode, without the open one. */
export function recentPages(base: string, except: string): readonly RecentPage[] {
  return recent.filter(({ path }) => path.startsWith(`${base}/`) && path !== except);
}
