import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";

/** A page of the maximum size, whose tags are nested. */
const HOSTILE_PAGE = `<html><title>x</title>${'<div class="a" id=b><a href="/privacy">'.repeat(30_000)}`;

/** A TwiML document with the maximum number of replies. */
const TWIML_REPLIES = `<Response>${"<Message>Hello</Message>".repeat(10)}</Response>`;
/** Links that almost match the sign-up patterns, and words that almost match mail addresses. */
const SIGN_UP_PATH = "text-sms-texts-texting-".repeat(85);
const SIGN_UP_LINK = `<a href="/${SIGN_UP_PATH}">text sms texts texting</a>`;
const MAIL_WORDS = "a.a-".repeat(250_000);
const PAGES: Readonly<Record<string, string>> = {
  "/site/words": `<html>${'<iframe src="/site/mails"></iframe>'.repeat(3)}${SIGN_UP_LINK.repeat(480)}`,
  "/site/mails": `<html><p>${MAIL_WORDS}`,
};

/**
 * Server that the attacker's URLs point to: accepts every connection and never responds, except for pages and
 * TwiML.
 */
export async function startHostileServer(t: TestContext): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    if (request.url?.startsWith("/twiml")) {
      response.writeHead(200, { "content-type": "text/xml" }).end(TWIML_REPLIES);
      return;
    }
    if (!request.url?.startsWith("/site")) return;
    const page = PAGES[request.url] ?? HOSTILE_PAGE;
    response.writeHead(200, { "content-type": "text/html" }).end(page);
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
