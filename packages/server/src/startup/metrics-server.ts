import { once } from "node:events";
import { createServer } from "node:http";
import { explainListenError } from "../http/listen-failure.ts";
import type { PlainRoute } from "../http/plain-route.ts";

const HOST = "127.0.0.1";

/** Health and metrics on a loopback port of their own, for whoever watches this machine. */
export async function serveMetrics(
  port: number,
  routes: readonly PlainRoute[],
): Promise<{ close(): Promise<void> }> {
  const server = createServer((request, response) => {
    const route = routes.find((candidate) => candidate.path === request.url);
    if (!route || request.method !== "GET") {
      response.writeHead(404).end();
      return;
    }
    Promise.resolve(route.answer(request)).then(
      ({ status, type, body }) => response.writeHead(status, { "content-type": type }).end(body),
      () => response.writeHead(500).end(),
    );
  });
  server.listen(port, HOST);
  try {
    await once(server, "listening");
  } catch (error) {
    throw explainListenError(error, HOST, port, "LONGWAVE_METRICS_PORT");
  }
  return {
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
