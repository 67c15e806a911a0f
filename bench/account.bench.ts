import { routes } from "@longwave/contract";
import { defineBench } from "./define.ts";

const CONNECTIONS = 64;

/** The cost of every request: authentication, scope, rate limit, headers, and one shared read. */
export const bench = defineBench({
  title: "Reading the account",
  async rows(stage) {
    const server = await stage.server();
    const headers = { authorization: `Bearer ${server.testKey}` };
    const url = `${server.url}/v1/account`;
    const body = await (await fetch(url, { headers })).json();
    const bare = await stage.bareFastify({
      method: "GET",
      path: "/account",
      schema: routes["account.get"].answers[200],
      body,
    });
    return [
      {
        ours: stage.load({
          name: "GET /v1/account",
          url,
          headers,
          connections: CONNECTIONS,
          server,
        }),
        other: stage.load({
          name: "bare Fastify, same body",
          url: `${bare}/account`,
          headers,
          connections: CONNECTIONS,
        }),
        floor: 0.6,
      },
    ];
  },
});
