import { once } from "node:events";
import { createServer } from "node:http";
import { explainListenError } from "../../http/server/listen-failure.ts";
import type { PlainRoute } from "../../http/server/router.ts";

/** Health and metrics on a port of their own, for monitoring. */
export async function serveMetrics(
  host: string,
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
      (answer) => {
        if (!answer) response.writeHead(404).end();
        else response.writeHead(answer.status, { "content-type": answer.type }).end(answer.body);
      },
      () => response.writeHead(500).end(),
    );
  });
  server.listen(port, host);
  try {
    await once(server, "listening");
  } catch (error) {
    throw explainListenError(error, host, port, "LONGWAVE_METRICS_PORT");
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
