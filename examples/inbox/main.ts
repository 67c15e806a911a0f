/** A support inbox: everybody who texts is a conversation, newest first, with a box to answer. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { ApiError, type Message } from "@longwave/sdk";
import { client, OUR_NUMBER, PORT } from "../client.ts";

interface Line {
  readonly id: string;
  readonly who: "them" | "us";
  readonly text: string;
  readonly at: string;
}

const CONVERSATIONS_MAX = 500;
const LINES_MAX = 100;
const BODY_BYTES_MAX = 10_000;
const longwave = client();
const conversations = new Map<string, Line[]>();

function add(phone: string, line: Line): void {
  const lines = conversations.get(phone) ?? [];
  if (lines.some(({ id }) => id === line.id)) return;
  // Put in anew, so that the order of the map is that of the last word.
  conversations.delete(phone);
  conversations.set(phone, [...lines, line].slice(-LINES_MAX));
  const [oldest] = conversations.keys();
  if (conversations.size > CONVERSATIONS_MAX && oldest) conversations.delete(oldest);
}

function addMessage({ id, direction, from, to, body, created_at }: Message): void {
  const isTheirs = direction === "inbound";
  add(isTheirs ? from : to, { id, who: isTheirs ? "them" : "us", text: body, at: created_at });
}

/** What was said before this program started. */
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
  const sent = await longwave.messages.send({ from: OUR_NUMBER, to, body: form.get("body") ?? "" });
  if (sent.object === "message") addMessage(sent);
  return to;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}

function page(): string {
  const parts = [...conversations].reverse().map(([phone, lines]) => {
    const said = lines.map(({ who, text }) => `<li><b>${who}</b> ${escaped(text)}</li>`).join("");
    return `<h2>${phone}</h2><ul>${said}</ul><form method="post" action="/answer"><input type="hidden" name="to" value="${escaped(phone)}"><input name="body" aria-label="Answer"> <button>Send</button></form>`;
  });
  return `<!doctype html><html lang="en"><title>Inbox</title><meta http-equiv="refresh" content="5"><body><h1>Inbox</h1>${parts.join("")}`;
}

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method === "POST" && request.url === "/answer") {
    await answer(request);
    response.writeHead(303, { location: "/" }).end();
  } else if (request.url === "/conversations") {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(Object.fromEntries(conversations)));
  } else response.setHeader("content-type", "text/html; charset=utf-8").end(page());
}

const server = createServer((request, response) => {
  handle(request, response).catch((error: Error) => {
    const isRefusal = error instanceof ApiError || error instanceof RangeError;
    response
      .writeHead(isRefusal ? 400 : 500)
      .end(isRefusal ? error.message : "Something went wrong.");
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
