/** A support inbox: one conversation per sender, newest first, with a reply box. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { ApiError, type Message } from "@longwave/sdk";
import { client, OUR_NUMBER, PORT } from "../client.ts";
import { escaped, page } from "../page.ts";

interface Line {
  readonly id: string;
  readonly who: "them" | "us";
  readonly text: string;
  readonly at: string;
}

const CONVERSATIONS_MAX = 500;
const LINES_MAX = 100;
const BODY_BYTES_MAX = 10_000;
const HTML = "text/html; charset=utf-8";
const longwave = client();
const conversations = new Map<string, Line[]>();

function add(phone: string, line: Line): void {
  const lines = conversations.get(phone) ?? [];
  if (lines.some(({ id }) => id === line.id)) return;
  // Reinserted, because the map's order is the order of the latest messages.
  conversations.delete(phone);
  conversations.set(phone, [...lines, line].slice(-LINES_MAX));
  const [oldest] = conversations.keys();
  if (conversations.size > CONVERSATIONS_MAX && oldest) conversations.delete(oldest);
}

function addMessage({ id, direction, from, to, body, created_at }: Message): void {
  const isTheirs = direction === "inbound";
  add(isTheirs ? from : to, { id, who: isTheirs ? "them" : "us", text: body, at: created_at });
}

/** Loads messages from before the start of this program. */
async function readHistory(): Promise<void> {
  const { data } = await longwave.messages.list({ limit: 100 });
  for (const message of [...data].reverse()) addMessage(message);
}

async function answer(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) {
    text += chunk;
    if (text.length > BODY_BYTES_MAX) throw new RangeError("This is too long.");
  }
  const form = new URLSearchParams(text);
  const to = form.get("to") ?? "";
  addMessage(await longwave.messages.send({ from: OUR_NUMBER, to, body: form.get("body") ?? "" }));
  return to;
}

/** Reloads the page, except while somebody is typing. */
const RELOAD_SCRIPT = `<script>
let seen = null;
setInterval(async () => {
  const now = await fetch("/conversations").then((answer) => answer.text(), () => seen);
  const isTyping = [...document.querySelectorAll("input[name=body]")].some((input) => input.value);
  if (seen !== null && now !== seen && !isTyping) location.reload();
  else if (seen === null) seen = now;
}, 1000);
</script>`;

const EMPTY_INBOX =
  '<p>Nobody has written yet. Let a phone text you: <code>./longwave inbound "Are you open?"</code></p>';

function inboxPage(): string {
  const parts = [...conversations].reverse().map(([phone, lines]) => {
    const said = lines.map(
      ({ who, text }) =>
        `<p class="${who}"><b>${who === "us" ? "You" : "They"}:</b> ${escaped(text)}</p>`,
    );
    return `<section><h2>${escaped(phone)}</h2>${said.join("")}<form method="post" action="/answer"><input type="hidden" name="to" value="${escaped(phone)}"><label>Answer <input name="body" required autocomplete="off"></label> <button>Send</button></form></section>`;
  });
  return page("Inbox", `${parts.join("") || EMPTY_INBOX}${RELOAD_SCRIPT}`);
}

/** Error page with a link back. */
function refusalPage(text: string): string {
  return page("Not sent", `<p>${escaped(text)}</p><p><a href="/">Back to the inbox</a></p>`);
}

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method === "POST" && request.url === "/answer") {
    await answer(request);
    response.writeHead(303, { location: "/" }).end();
  } else if (request.url === "/conversations") {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(Object.fromEntries(conversations)));
  } else response.setHeader("content-type", HTML).end(inboxPage());
}

const server = createServer((request, response) => {
  handle(request, response).catch((error: Error) => {
    const isRefusal = error instanceof ApiError || error instanceof RangeError;
    response
      .writeHead(isRefusal ? 400 : 500, { "content-type": HTML })
      .end(refusalPage(isRefusal ? error.message : "Something went wrong."));
  });
});
await readHistory();
server.listen(PORT, "127.0.0.1", () => {
  console.log(`Open http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
for await (const event of longwave.events.listen()) {
  if (event.type !== "message.received") continue;
  const { message_id, from, body } = event.data;
  add(from, { id: message_id, who: "them", text: body, at: event.created_at });
}
