/**
 * Server tests that `npm run test:citus` leaves out, with the reason. All others run on a coordinator and two
 * workers.
 */
const NOT_ON_CITUS: Readonly<Record<string, string>> = {
  "src/batches/follow-plans.test": "it reads what one PostgreSQL counts of its own rows",
  "src/handover/in-place.test": "it reads what one PostgreSQL counts of its own pages",
  "src/handover/inbox.test": "over several nodes every receipt is left to its lane",
  "src/messages/list-plans.test":
    "it looks at plans that are kept; over several nodes one is made for each call",
  "src/scheduled/crowd.test":
    "texts are sent without a pause meanwhile, and the walk of the test clock, slower there, finds no moment at which nothing is due",
  "src/webhooks/plans.test":
    "it looks at plans that are kept; over several nodes one is made for each call",
};

export function isForCitus(path: string): boolean {
  if (!path.startsWith("packages/server/")) return false;
  return !Object.keys(NOT_ON_CITUS).some((part) => path.includes(part));
}
