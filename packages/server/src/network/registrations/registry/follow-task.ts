import { Type } from "typebox";
import type { Tx } from "../../../core/db/driver/database.ts";
import type { PeriodicTask } from "../../../core/queue/periodic.ts";
import { defineTask, enqueue } from "../../../core/queue/task.ts";
import { endLinks, linkedPhones } from "../../numbers/index.ts";
import type { RegistrationsDeps } from "../deps.ts";
import type { RegistrationRow } from "../registration-row.ts";
import { findRegistrationRow, listFiled } from "../sql.ts";
import { settle } from "./settle.ts";

const EVERY_SECONDS = 6 * 3_600;
const PAGE_ROWS = 500;

interface Named {
  readonly shard: number;
  readonly account_id: string;
  readonly id: string;
}

const Filed = Type.Object({
  shard: Type.Integer(),
  account_id: Type.String(),
  registration_id: Type.String(),
});

/** Reads the state of one filing and brings its registration there: approved, suspended, expired or rejected. */
export const followTask = defineTask<typeof Filed, RegistrationsDeps>({
  name: "registrations.follow",
  payload: Filed,
  retryDelaysSeconds: [60, 600, 3_600],
  timeoutMs: 60_000,
  async run(deps, { shard, account_id, registration_id }, signal) {
    const key = [shard, account_id, registration_id];
    const [row] = await deps.db.query<RegistrationRow>(findRegistrationRow, key);
    if (deps.registry === null || !row || row.registry_reference === null) return "done";
    const answer = await deps.registry.review(row.registry_reference, signal);
    if (answer.kind === "unavailable") return { retry: answer.reason };
    const { submissions: submission } = row;
    await settle(deps, { shard, account_id, registration_id, submission }, answer);
    if (answer.kind === "approved") await checkLinks(deps, row, row.registry_reference, signal);
    return "done";
  },
});

/** Ends the links of numbers that the registry or a carrier removed after they were linked. */
async function checkLinks(
  { registry, ...deps }: RegistrationsDeps,
  row: RegistrationRow,
  reference: string,
  signal: AbortSignal,
): Promise<void> {
  if (!registry?.linkState) return;
  const account = { shard: row.shard, id: row.account_id };
  const removed = new Map<string, string>();
  for (const phone of await linkedPhones(deps.db, account, row.id)) {
    const link = await registry.linkState(reference, phone, signal);
    if (link.kind === "refused") removed.set(phone, link.reason);
  }
  if (removed.size > 0) await deps.db.tx((tx) => endLinks(deps, tx, account, row.id, removed));
}

export async function followSoon(
  deps: RegistrationsDeps,
  tx: Tx,
  { shard, account_id, id: registration_id }: Named,
): Promise<void> {
  const payload = { shard, account_id, registration_id };
  const owner = { shard, accountId: account_id };
  await enqueue(deps, tx, owner, followTask, payload, deps.clock.now());
}

/** Follows every approved filing: notifications may be lost, and carriers act after the approval. */
export const followFilings: PeriodicTask<RegistrationsDeps> = {
  name: "registrations.follow_filings",
  everySeconds: EVERY_SECONDS,
  async run(deps, signal) {
    if (deps.registry === null) return;
    for (let after: string | null = null; !signal.aborted; ) {
      const rows: readonly Named[] = await deps.db.query<Named>(listFiled, [after, PAGE_ROWS]);
      await deps.db.tx(async (tx) => {
        for (const row of rows) await followSoon(deps, tx, row);
      });
      const last = rows.at(-1);
      if (rows.length < PAGE_ROWS || !last) return;
      after = last.id;
    }
  },
};
