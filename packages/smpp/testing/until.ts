/** No promise of time: only what never comes to be takes as long, on however busy a machine. */
const NEVER_MS = 60_000;

/** Waits until something holds; fails with what it waited for. */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  limitMs = NEVER_MS,
): Promise<void> {
  const endMs = performance.now() + limitMs;
  while (!(await holds())) {
    if (performance.now() > endMs) throw new Error(`It never came to be: ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
