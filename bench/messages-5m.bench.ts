import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { defineBench } from "./define.ts";
import { coldCheck, questionsOf, warmCheck } from "./message-lists.ts";
import { sandboxSending } from "./message-load.ts";
import type { Server } from "./server.ts";
import { type Stored, storeMessages } from "./stored-messages.ts";

const RECEIPTS_MS_MAX = 60_000;
const LOOK_MS = 200;

let full:
  | { readonly server: Server; readonly ordinary: Stored; readonly lopsided: Stored }
  | undefined;

/** Whether three months of texts slow down sending them, and finding them again. */
export const bench = defineBench({
  title: "A database with many texts",
  isLong: true,
  async rows(stage) {
    const empty = await stage.server({ LOG_LEVEL: "error" });
    const server = await stage.server({ LOG_LEVEL: "error" });
    full = { server, ...(await storeMessages(server, stage.storedRows)) };
    const many = `${stage.storedRows.toLocaleString("en")} texts stored`;
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
    await receiptsOf(server);
    return [
      await warmCheck(server, "an ordinary account", questionsOf(ordinary)),
      await warmCheck(server, "a lopsided account", questionsOf(lopsided)),
      await coldCheck(server, questionsOf(ordinary)),
    ];
  },
});

/** Until the receipts of what was sent are in: lists are asked of a server that has nothing else to do. */
async function receiptsOf({ connection }: Server): Promise<void> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    const startedMs = performance.now();
    const areDue = async () => (await client.query("select from due_receipts limit 1")).rowCount;
    while ((await areDue()) && performance.now() - startedMs < RECEIPTS_MS_MAX)
      await sleep(LOOK_MS);
  } finally {
    await client.end();
  }
}
