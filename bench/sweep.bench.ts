import pg from "pg";
import { fromApiId } from "../packages/server/src/platform/ids.ts";
import type { Contender } from "./contender.ts";
import { defineBench } from "./define.ts";
import { printed, startScript, stop } from "./processes.ts";
import type { Server } from "./server.ts";
import { sandboxSending } from "./texts.ts";

/** More than the sweep gets done in all rounds together. */
const EXPIRED_KEYS = 1_000_000;

/** What is past its time is deleted while texts are sent: they must not notice. */
export const bench = defineBench({
  title: "Sending a text during a sweep",
  async rows(stage) {
    const server = await stage.server({ LOG_LEVEL: "error" });
    await storeExpired(server);
    return [
      {
        ours: duringSweep(
          sandboxSending(stage, server, "POST /v1/messages, during a sweep"),
          server,
        ),
        other: sandboxSending(stage, server, "POST /v1/messages"),
        floor: 0.95,
      },
    ];
  },
});

/** The same, while another process sweeps. */
function duringSweep(sending: Contender, { connection }: Server): Contender {
  return {
    name: sending.name,
    async measure() {
      const sweeper = startScript("sweeper.ts", { connection });
      await printed(sweeper, /^ready$/m);
      try {
        return await sending.measure();
      } finally {
        await stop(sweeper);
      }
    },
  };
}

async function storeExpired({ connection, accountId }: Server): Promise<void> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    await client.query(
      `insert into idempotency_keys (shard, account_id, mode, key_hash, fingerprint, created_at, expires_at)
       select 0, $1, 'test', decode(md5(n::text), 'hex'), '', now() - interval '3 days', now() - interval '2 days'
         from generate_series(1, $2::int) n`,
      [fromApiId("account", accountId), EXPIRED_KEYS],
    );
  } finally {
    await client.end();
  }
}
