import type { Base } from "../base.ts";
import { statement } from "../db/statement.ts";
import { ANSWER_WAIT_MS_MAX } from "./due-times.ts";
import type { MessageRow } from "./message.ts";
import { MESSAGE_COLUMNS } from "./sql.ts";

/** How often those that wait are looked at, all of them together. */
const LOOK_EVERY_MS = 15;
const WAITING_MAX = 2_000;

/** Those of these messages of which a carrier has said something. */
const findAnswered = statement(
  "find_answered_elsewhere",
  `select ${MESSAGE_COLUMNS} from messages m
    where m.shard = $1 and m.account_id = any($2::uuid[]) and m.id = any($3::uuid[])
      and (m.status <> 'queued' or m.carrier_code is not null)`,
);

/**
 * Waits for texts that another process hands over, because the link is there. Answers the message
 * as it stands after that, or as it was given when no word came in time.
 */
export type Elsewhere = (row: MessageRow) => Promise<MessageRow>;

interface Waiting {
  readonly row: MessageRow;
  answer(row: MessageRow): void;
}

export function createElsewhere(deps: Pick<Base, "db" | "clock" | "log">): Elsewhere {
  const waiting = new Map<string, Waiting>();
  let isLooking = false;

  const lookAt = async (shard: number, all: readonly Waiting[]) => {
    const accounts = [...new Set(all.map(({ row }) => row.account_id))];
    const ids = all.map(({ row }) => row.id);
    const values = [shard, accounts, ids];
    for (const row of await deps.db.query<MessageRow>(findAnswered, values)) {
      waiting.get(row.id)?.answer(row);
    }
  };
  const keepLooking = async () => {
    isLooking = true;
    while (waiting.size > 0) {
      await deps.clock.sleep(LOOK_EVERY_MS);
      const all = [...waiting.values()];
      for (const shard of new Set(all.map(({ row }) => row.shard))) {
        const own = all.filter(({ row }) => row.shard === shard);
        await lookAt(shard, own).catch((error: unknown) => {
          deps.log.debug({ err: error }, "texts handed over elsewhere were not looked at");
        });
      }
    }
    isLooking = false;
  };

  return (row) => {
    if (waiting.size >= WAITING_MAX) return Promise.resolve(row);
    return new Promise((resolve) => {
      const answer = (settled: MessageRow) => {
        forgo();
        waiting.delete(row.id);
        resolve(settled);
      };
      const forgo = deps.clock.after(ANSWER_WAIT_MS_MAX, () => answer(row));
      waiting.set(row.id, { row, answer });
      if (!isLooking) void keepLooking();
    });
  };
}
