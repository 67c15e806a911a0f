/** Waits until something holds; fails with what it waited for. */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  limitMs = 10_000,
): Promise<void> {
  const endMs = performance.now() + limitMs;
  while (!(await holds())) {
    if (performance.now() > endMs) throw new Error(`It never came to be: ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
