import type { Base } from "../../core/base.ts";
import { statement } from "../../core/db/driver/statement.ts";
import { MESSAGE_COLUMNS, type MessageRow } from "../messages/index.ts";

/** A request waits this long for the carrier's answer before it responds without it. */
export const ANSWER_WAIT_MS_MAX = 3_000;

/** Interval between polls; one poll covers all waiting messages of a shard. */
const POLL_INTERVAL_MS = 15;
const WAITING_MAX = 2_000;

/** Selects the waiting messages that a carrier has answered. */
const findRemoteSubmits = statement(
  "find_remote_submits",
  `select ${MESSAGE_COLUMNS} from messages m
    where m.shard = $1 and m.account_id = any($2::uuid[]) and m.id = any($3::uuid[])
      and (m.status <> 'queued' or m.carrier_code is not null)`,
);

/**
 * Waits for a message that another process submits, because that process owns the bind.
 *
 * Resolves with the message after the answer, or unchanged after ANSWER_WAIT_MS_MAX.
 */
export type RemoteSubmits = (row: MessageRow) => Promise<MessageRow>;

interface Waiting {
  readonly row: MessageRow;
  answer(row: MessageRow): void;
}

export function createRemoteSubmits(deps: Pick<Base, "db" | "clock" | "log">): RemoteSubmits {
  const waiting = new Map<string, Waiting>();
  let isPolling = false;

  const pollShard = async (shard: number, all: readonly Waiting[]) => {
    const accounts = [...new Set(all.map(({ row }) => row.account_id))];
    const ids = all.map(({ row }) => row.id);
    const values = [shard, accounts, ids];
    for (const row of await deps.db.query<MessageRow>(findRemoteSubmits, values)) {
      waiting.get(row.id)?.answer(row);
    }
  };
  const pollUntilEmpty = async () => {
    isPolling = true;
    while (waiting.size > 0) {
      await deps.clock.sleep(POLL_INTERVAL_MS);
      const all = [...waiting.values()];
      for (const shard of new Set(all.map(({ row }) => row.shard))) {
        const own = all.filter(({ row }) => row.shard === shard);
        await pollShard(shard, own).catch((error: unknown) => {
          deps.log.debug({ err: error }, "submit: poll for remote submits failed");
        });
      }
    }
    isPolling = false;
  };

  return (row) => {
    if (waiting.size >= WAITING_MAX) return Promise.resolve(row);
    return new Promise((resolve) => {
      const answer = (settled: MessageRow) => {
        cancelTimer();
        waiting.delete(row.id);
        resolve(settled);
      };
      const cancelTimer = deps.clock.after(ANSWER_WAIT_MS_MAX, () => answer(row));
      waiting.set(row.id, { row, answer });
      if (!isPolling) void pollUntilEmpty();
    });
  };
}
