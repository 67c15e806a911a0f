import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { before, describe, test } from "node:test";
import express from "express";
import fastify from "fastify";
import { Hono } from "hono";
import { giveNumber } from "../../server/testing/give-number.ts";
import { createHook, LOCAL_TARGETS, log } from "../../server/testing/hook-receiver.ts";
import { suiteKit } from "../../server/testing/suite.ts";
import { until } from "../../server/testing/until.ts";
import { type WebhookEvent, webhooks } from "../src/index.ts";

const NUMBER = "+15005550100";
const TEXT = 'Grüße 👋, "quoted" \\ and\na line';

type Handler = (event: WebhookEvent) => void;
type Listener = (request: IncomingMessage, response: ServerResponse) => unknown;

/** HTTP server around a Request-to-Response handler: as Next.js and Hono run in Node.js. */
function bridged(answer: (request: Request) => Response | Promise<Response>): Listener {
  return async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const headers = new Headers();
    for (const [name, value] of Object.entries(request.headers)) headers.set(name, String(value));
    const init = { method: "POST", headers, body: Buffer.concat(chunks) };
    const answered = await answer(new Request(`http://localhost${request.url}`, init));
    response.writeHead(answered.status, Object.fromEntries(answered.headers));
    response.end(await answered.text());
  };
}

/** Each framework with its adapter, as in the guide. */
const FRAMEWORKS: Record<string, (secret: string, handler: Handler) => Promise<Listener>> = {
  async express(secret, handler) {
    const app = express();
    app.post("/express", webhooks.express(secret, handler));
    app.use(express.json());
    return app;
  },
  async fastify(secret, handler) {
    const app = fastify();
    app.register(webhooks.fastify(secret, handler), { prefix: "/fastify" });
    await app.ready();
    return (request, response) => app.routing(request, response);
  },
  async hono(secret, handler) {
    const app = new Hono();
    app.post("/hono", webhooks.hono(secret, handler));
    return bridged((request) => app.fetch(request));
  },
  async next(secret, handler) {
    return bridged(webhooks.next(secret, handler));
  },
};

describe("the adapters receive webhooks of the service", () => {
  const kit = suiteKit(LOCAL_TARGETS);
  before(() => giveNumber(kit(), { phone: NUMBER }));

  test("every framework accepts its own secret's signature, and refuses another's", async (t) => {
    const listeners = new Map<string, Listener>();
    const server = createServer((request, response) => {
      const listener = listeners.get(request.url ?? "");
      if (listener) return void listener(request, response);
      response.writeHead(404).end();
    }).listen(0, "127.0.0.1");
    t.after(() => {
      server.close();
      server.closeAllConnections();
    });
    await once(server, "listening");
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const received = new Map<string, WebhookEvent[]>();
    const endpoints = new Map<string, string>();
    for (const [name, mounted] of Object.entries(FRAMEWORKS)) {
      const events = ["message.received"];
      const { id, secret } = await createHook(kit(), `${origin}/${name}`, { events });
      const got: WebhookEvent[] = [];
      received.set(name, got);
      endpoints.set(name, id);
      listeners.set(`/${name}`, await mounted(secret, (event) => void got.push(event)));
    }
    // Same service, but with the secret of another endpoint.
    const mistaken = await createHook(kit(), `${origin}/mistaken`, {
      events: ["message.received"],
    });
    const otherSecret = `whsec_${Buffer.alloc(32, 9).toString("base64")}`;
    const unwanted: WebhookEvent[] = [];
    listeners.set(
      "/mistaken",
      bridged(webhooks.next(otherSecret, (event) => void unwanted.push(event))),
    );

    await kit().api.test.inbound({ from: "+15005550000", to: NUMBER, body: TEXT });
    await until(async () => (await log(kit())).length === endpoints.size + 1);
    for (const [name, id] of endpoints) {
      const [delivery, ...more] = await log(kit(), `endpoint_id=${id}`);
      assert.deepEqual([delivery.ok, delivery.status_code, more.length], [true, 200, 0], name);
      const [event, ...others] = received.get(name) ?? [];
      assert.ok(event?.type === "message.received", name);
      assert.deepEqual([event.id, event.data.body], [delivery.event_id, TEXT], name);
      assert.equal(others.length, 0, name);
    }
    const [refused] = await log(kit(), `endpoint_id=${mistaken.id}`);
    assert.deepEqual([refused.ok, refused.status_code, unwanted], [false, 400, []]);
  });
});
