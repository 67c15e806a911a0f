/**
 * What `npm run test:citus` runs: each way in which the product reads and writes. With parts of paths it runs any other
 * file of the server there; some of those look at what one PostgreSQL alone has (names of partitions, plans, who waits
 * for whom), or write rows by statements that Citus refuses.
 */
const USUAL = [
  "src/batches/control.test",
  "src/batches/create.test",
  "src/consent/consent.test",
  "src/contacts/contacts.test",
  "src/db/citus/",
  "src/messages/live.test",
  "src/messages/sandbox.test",
  "src/numbers/",
  "src/port-requests/port-requests.test",
  "src/scheduled/schedule.test",
  "src/verify/",
  "src/webhooks/deliver.test",
  "src/webhooks/endpoints.test",
  "test/examples.test",
];

export function isForCitus(path: string, isNamed: boolean): boolean {
  if (!path.startsWith("packages/server/")) return false;
  return isNamed || USUAL.some((part) => path.includes(part));
}
