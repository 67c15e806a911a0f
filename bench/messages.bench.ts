import { defineBench } from "./define.ts";
import { liveSending, SANDBOX_NUMBER, sandboxSending, sending, texts } from "./texts.ts";

/**
 * A durable text against a bare answer of the same size (one commit in sandbox, two live), against
 * a transaction for each request, and, for a client alone, against a plain INSERT.
 */
export const bench = defineBench({
  title: "Sending a text",
  async rows(stage) {
    const server = await stage.server({ LOG_LEVEL: "error" });
    const [body = ""] = texts(SANDBOX_NUMBER);
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
    const single = await stage.script("one-by-one.ts", { connection, accountId });
    const plain = await stage.script("plain-insert.ts", { connection });
    return [
      {
        ours: sandboxSending(stage, server, "POST /v1/messages, sandbox"),
        other: bareFastify,
        floor: 0.5,
        p99MsMax: 60,
      },
      {
        ours: await liveSending(stage, "POST /v1/messages, live, two commits"),
        other: bareFastify,
        floor: 0.4,
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
        ceiling: 1.3,
      },
    ];
  },
});
