const RETRY_MS = [1_000, 2_000, 5_000, 10_000] as const;
const RELOADED = "longwave.reloaded";

/**
 * Loads the code of a page, however long the network or the server is gone: a failed import would
 * otherwise replace the console by the browser's error page. A server that answers has newer pages
 * than this one; then the whole page loads again, once.
 */
export async function loadPage<T>(load: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      const loaded = await load();
      sessionStorage.removeItem(RELOADED);
      return loaded;
    } catch (error) {
      if (await isServerThere()) {
        if (sessionStorage.getItem(RELOADED) !== null) throw error;
        sessionStorage.setItem(RELOADED, "1");
        location.reload();
      }
      const delayMs = RETRY_MS[Math.min(attempt, RETRY_MS.length - 1)] ?? 0;
      await new Promise((done) => setTimeout(done, delayMs));
    }
  }
}

async function isServerThere(): Promise<boolean> {
  const answer = await fetch("/console/v1/session", {
    headers: { "longwave-console": "1", "longwave-background": "1" },
  }).catch(() => null);
  return answer?.ok === true;
}
