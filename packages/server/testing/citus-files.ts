/** Which test files run on Citus: those of the server, but for these. */
const NOT_THERE: readonly { readonly part: string; readonly why: string }[] = [];

export function isForCitus(path: string): boolean {
  return path.startsWith("packages/server/") && !NOT_THERE.some(({ part }) => path.includes(part));
}
