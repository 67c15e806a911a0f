/** Hang guard only: successful waits end earlier, even on a busy machine. */
const HANG_GUARD_MS = 60_000;

/** Polls until `holds`; fails with the description `what`. */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  limitMs = HANG_GUARD_MS,
): Promise<void> {
  const endMs = performance.now() + limitMs;
  while (!(await holds())) {
    if (performance.now() > endMs) throw new Error(`Timed out waiting until ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
