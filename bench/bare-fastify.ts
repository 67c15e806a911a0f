/**
 * Baseline of HTTP rows: a Fastify that returns a fixed object through a response schema. Reads body and
 * schema as JSON from standard input.
 */
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { fastify } from "fastify";

export interface BareAnswer {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly schema: unknown;
  readonly body: unknown;
}

const answer = JSON.parse(await text(process.stdin)) as BareAnswer;
const app = fastify({ logger: false });
app.route({
  method: answer.method,
  url: answer.path,
  schema: { response: { 200: answer.schema } },
  handler: async () => answer.body,
});
await app.listen({ host: "127.0.0.1", port: 0 });
console.log(`ready ${(app.server.address() as AddressInfo).port}`);
