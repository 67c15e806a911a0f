import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { defineBench } from "./define.ts";
import { coldCheck, listQueriesOf, warmCheck } from "./message-lists.ts";
import { sandboxSending } from "./message-load.ts";
import type { Server } from "./server.ts";
import { type Stored, storeMessages } from "./stored-messages.ts";

const RECEIPTS_MS_MAX = 60_000;
const POLL_MS = 200;

let full:
  | { readonly server: Server; readonly ordinary: Stored; readonly lopsided: Stored }
  | undefined;

/** Sending and listing with three months of stored messages. */
export const bench = defineBench({
  title: "A database with many messages",
  isLong: true,
  async rows(stage) {
    const empty = await stage.server({ LOG_LEVEL: "error" });
    const server = await stage.server({ LOG_LEVEL: "error" });
    full = { server, ...(await storeMessages(server, stage.storedRows)) };
    const many = `${stage.storedRows.toLocaleString("en")} messages stored`;
    return [
      {
        ours: sandboxSending(stage, server, `POST /v1/messages, ${many}`),
        other: sandboxSending(stage, empty, "the same on an empty database"),
        floor: 0.95,
      },
    ];
  },
  async checks() {
    if (!full) return [];
    const { server, ordinary, lopsided } = full;
    await untilReceiptsProcessed(server);
    return [
      await warmCheck(server, "an ordinary account", listQueriesOf(ordinary)),
      await warmCheck(server, "a lopsided account", listQueriesOf(lopsided)),
      await coldCheck(server, listQueriesOf(ordinary)),
    ];
  },
});

/** Waits until all receipts are processed, so that lists are measured on an otherwise idle server. */
async function untilReceiptsProcessed({ connection }: Server): Promise<void> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    const startedMs = performance.now();
    const areDue = async () => (await client.query("select from due_receipts limit 1")).rowCount;
    while ((await areDue()) && performance.now() - startedMs < RECEIPTS_MS_MAX)
      await sleep(POLL_MS);
  } finally {
    await client.end();
  }
}
