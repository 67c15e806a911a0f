export type Mode = "test" | "live";

const OPERATOR_PATHS = "/operator/v1/";

/** Lists with a filter by mode. The server separates all others by the mode in the path. */
const WITH_MODE_FILTER: ReadonlySet<string> = new Set([
  "/v1/numbers",
  "/v1/automations",
  "/v1/batches",
  "/v1/scheduled_messages",
  "/v1/schedules",
]);

/**
 * Path of an API call in the console. The mode of the page decides here what every list shows, so
 * that no page can forget it.
 */
export function consolePath(method: string, url: URL, account: string, mode: Mode): string {
  const { pathname, searchParams } = url;
  if (method === "GET" && WITH_MODE_FILTER.has(pathname)) searchParams.set("mode", mode);
  // Only for live: sandbox messages to verified numbers are not simulated either.
  if (method === "GET" && pathname === "/v1/messages" && mode === "live") {
    searchParams.set("simulated", "false");
  }
  const path = pathname.startsWith(OPERATOR_PATHS)
    ? pathname.replace(OPERATOR_PATHS, "/console/v1/operator/")
    : pathname.replace(/^(\/console)?\/v1\//, `/console/v1/${account}/${mode}/`);
  return path + url.search;
}
