import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";

/** As much of a website as is read of one, and each tag within the one before. */
const HOSTILE_PAGE = `<html><title>x</title>${'<div class="a" id=b><a href="/privacy">'.repeat(30_000)}`;

/** What an attacker's addresses lead to: a server that takes everything and answers nothing. */
export async function startTrap(t: TestContext): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    if (!request.url?.startsWith("/site")) return;
    response.writeHead(200, { "content-type": "text/html" }).end(HOSTILE_PAGE);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(async () => {
    const closed = once(server, "close");
    server.closeAllConnections();
    server.close();
    await closed;
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
