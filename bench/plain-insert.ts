/**
 * The unit of one lone client: a Fastify that stores each text with one plain INSERT, committed by
 * itself, and answers with it. Its table has the columns and indexes of `messages`, because a text
 * that is stored has to be found again, and nothing else: no rule is checked, and no event, counter,
 * receipt or notification is written. It answers over HTTP, as ours does: the client waits for both
 * on the same way, so the difference is what the service does beyond the INSERT.
 */
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { fastify } from "fastify";
import pg from "pg";
import { systemClock } from "../packages/server/src/platform/clock.ts";
import { createIds } from "../packages/server/src/platform/ids.ts";
import { systemRandom } from "../packages/server/src/platform/random.ts";

interface Text {
  readonly from: string;
  readonly to: string;
  readonly body: string;
}

const INSERT = `
  insert into plain_messages (shard, account_id, id, direction, status, mode, from_number, to_number, body,
    encoding, segments, price_micros, billing, simulated, attempts, created_at, sent_at)
  values (0, $1, $2, 'outbound', 'sent', 'test', $3, $4, $5, 'gsm7', 1, 0, 'none', true, 1, now(), now())
  returning *`;

const { connection } = JSON.parse(await text(process.stdin)) as { connection: pg.ClientConfig };
const client = new pg.Client(connection);
await client.connect();
await client.query("create table plain_messages (like messages including all)");
const ids = createIds(systemClock(), systemRandom());
const accountId = ids.make();

const app = fastify({ logger: false });
app.post("/messages", async (request, reply) => {
  const { from, to, body } = request.body as Text;
  const values = [accountId, ids.make(), from, to, body];
  const { rows } = await client.query({ name: "plain_insert", text: INSERT, values });
  return reply.code(201).send(rows[0]);
});
await app.listen({ host: "127.0.0.1", port: 0 });
console.log(`ready ${(app.server.address() as AddressInfo).port}`);
