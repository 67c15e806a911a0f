import { Type } from "typebox";
import { defineTask } from "../../core/queue/task.ts";
import type { NumberLinksDeps } from "./deps.ts";

const Released = Type.Object({
  shard: Type.Integer(),
  account_id: Type.String(),
  phone_number: Type.String(),
  /** Registration that the number was linked to. */
  linked_to: Type.Union([Type.String(), Type.Null()]),
});

/** After a release: unlinks the number at the registry, and gives its room to a waiting number. */
export const releasedTask = defineTask<typeof Released, NumberLinksDeps>({
  name: "numbers.released",
  payload: Released,
  retryDelaysSeconds: [5, 30, 120, 600, 1_800, 7_200],
  timeoutMs: 60_000,
  async run(deps, { shard, account_id, phone_number, linked_to }) {
    const account = { shard, id: account_id };
    await deps.db.tx((tx) => deps.followSenders(tx, account));
    if (linked_to === null) return "done";
    const unavailable = await deps.unlinkSender(account, linked_to, phone_number);
    return unavailable === null ? "done" : { retry: unavailable };
  },
});
