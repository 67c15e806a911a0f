/**
 * Server tests that `npm run test:citus` leaves out, with the reason. All others run on a coordinator and two
 * workers.
 */
const NOT_ON_CITUS: Readonly<Record<string, string>> = {
  "src/messaging/batches/follow-plans.test": "reads row statistics of a single PostgreSQL",
  "src/messaging/outbound/inbox.test": "over several nodes, only the lane processes receipts",
  "src/messaging/messages/list-plans.test":
    "reads cached plans; over several nodes every call is planned",
  "src/events/webhooks/plans.test": "reads cached plans; over several nodes every call is planned",
};

export function isForCitus(path: string): boolean {
  if (!path.startsWith("packages/server/")) return false;
  return !Object.keys(NOT_ON_CITUS).some((part) => path.includes(part));
}
