import type { Contender } from "./contender.ts";
import { defineBench } from "./define.ts";
import {
  liveSending,
  messageBodies,
  SANDBOX_NUMBER,
  sandboxSending,
  sending,
} from "./message-load.ts";

/**
 * Rate of the open loop, relative to the closed loop's. An open loop shows queueing: requests start on time
 * whether or not others are complete.
 */
const OPEN_LOOP_SHARE = 0.7;
const OPEN_CONNECTIONS = 256;

/** A contender that remembers the rate of its last round. */
function withLastRate(contender: Contender): Contender & { lastPerSecond(): number } {
  let last = 0;
  return {
    name: contender.name,
    lastPerSecond: () => last,
    async measure() {
      const measured = await contender.measure();
      last = measured.perSecond;
      return measured;
    },
  };
}

/**
 * A durable message against a bare response of the same size (one commit in sandbox, two live), against a
 * transaction per request, and, for a single client, against a plain INSERT.
 */
export const bench = defineBench({
  title: "Sending a message",
  async rows(stage) {
    const server = await stage.server({ LOG_LEVEL: "error" });
    const [body = ""] = messageBodies(SANDBOX_NUMBER);
    const first = await server.request("POST", "/v1/messages", { body: JSON.parse(body) });
    const bare = await stage.bareFastify({
      method: "POST",
      path: "/messages",
      schema: {},
      body: first,
    });
    const bareFastify = sending(stage, {
      name: "bare Fastify, same body",
      url: `${bare}/messages`,
      statuses: [200],
    });
    const { connection, accountId } = server;
    const single = await stage.script("ungrouped-sends.ts", { connection, accountId });
    const plain = await stage.script("plain-insert.ts", { connection });
    const sandbox = withLastRate(sandboxSending(stage, server, "POST /v1/messages, sandbox"));
    return [
      {
        ours: sandbox,
        other: bareFastify,
        floor: 0.45,
        p99MsMax: 50,
      },
      {
        ours: sandboxSending(stage, server, "the same at 70 % of that rate, open loop", {
          connections: OPEN_CONNECTIONS,
          perSecond: () => Math.round(sandbox.lastPerSecond() * OPEN_LOOP_SHARE),
        }),
        p99MsMax: 100,
      },
      {
        ours: await liveSending(stage, "POST /v1/messages, live, two commits"),
        other: bareFastify,
        floor: 0.28,
        p99MsMax: 50,
      },
      {
        ours: sandboxSending(stage, server, "POST /v1/messages, sandbox"),
        other: sending(stage, {
          name: "a transaction each, ten at once",
          url: `${single}/messages`,
        }),
        floor: 3,
      },
      {
        ours: sandboxSending(stage, server, "POST /v1/messages, one client", { connections: 1 }),
        other: sending(stage, {
          name: "a route that is a plain INSERT",
          url: `${plain}/messages`,
          connections: 1,
        }),
        by: "p50",
        ceiling: 1.5,
      },
    ];
  },
});
