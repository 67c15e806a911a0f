import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import express from "express";
import fastify from "fastify";
import { Hono } from "hono";
import { type WebhookEvent, webhooks } from "../src/index.ts";

const secret = `whsec_${Buffer.alloc(32, 5).toString("base64")}`;
const body = JSON.stringify({
  id: "evt_1",
  object: "event",
  type: "message.received",
  created_at: "2026-11-15T09:30:00.000Z",
  data: { message_id: "msg_1", from: "+15005550000", to: "+15005550100", body: "Grüße 👋" },
});

type Post = (body: string, headers: Record<string, string>) => Promise<Response>;

interface Receiver {
  readonly post: Post;
  readonly received: WebhookEvent[];
}

/** Handler that records events, and fails on one of them. */
function handlerOf(received: WebhookEvent[]) {
  return async (event: WebhookEvent) => {
    if (event.id === "evt_broken") throw new Error("The handler failed.");
    received.push(event);
  };
}

const RECEIVERS: Record<string, (t: TestContext) => Promise<Receiver>> = {
  async express(t) {
    const received: WebhookEvent[] = [];
    const app = express();
    app.post("/hooks", webhooks.express(secret, handlerOf(received)));
    app.use(express.json());
    app.use(quietly);
    return { received, post: await served(t, app) };
  },
  async "express behind express.raw"(t) {
    const received: WebhookEvent[] = [];
    const app = express();
    app.use(express.raw({ type: "*/*" }));
    app.post("/hooks", webhooks.express(secret, handlerOf(received)));
    app.use(quietly);
    return { received, post: await served(t, app) };
  },
  async fastify(t) {
    const received: WebhookEvent[] = [];
    const app = fastify();
    app.register(webhooks.fastify(secret, handlerOf(received)), { prefix: "/hooks" });
    app.post("/other", async (request) => (request.body as { parsed: boolean }).parsed);
    const url = await app.listen({ port: 0, host: "127.0.0.1" });
    t.after(() => app.close());
    const other = await posted(`${url}/other`, '{"parsed":true}', JSON_TYPE);
    assert.equal(await other.text(), "true", "the rest of the program parses as before");
    return { received, post: (text, headers) => posted(`${url}/hooks`, text, headers) };
  },
  async hono() {
    const received: WebhookEvent[] = [];
    const app = new Hono();
    app.post("/hooks", webhooks.hono(secret, handlerOf(received)));
    return {
      received,
      post: async (text, headers) => app.request("/hooks", { method: "POST", body: text, headers }),
    };
  },
  async next() {
    const received: WebhookEvent[] = [];
    const POST = webhooks.next(secret, handlerOf(received));
    const post: Post = (text, headers) =>
      POST(new Request("http://localhost/hooks", { method: "POST", body: text, headers })).catch(
        // Frameworks answer 500 when a route handler throws.
        () => new Response("", { status: 500 }),
      );
    return { received, post };
  },
};

const JSON_TYPE = { "content-type": "application/json" };

function quietly(
  error: { status?: number },
  _request: express.Request,
  response: express.Response,
  _next: express.NextFunction,
) {
  response.status(error.status ?? 500).send("");
}

async function served(t: TestContext, app: express.Express): Promise<Post> {
  const server = app.listen(0, "127.0.0.1");
  t.after(() => server.close());
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return (text, headers) => posted(`http://127.0.0.1:${port}/hooks`, text, headers);
}

function posted(url: string, text: string, headers: Record<string, string>): Promise<Response> {
  return fetch(url, { method: "POST", body: text, headers });
}

for (const [name, start] of Object.entries(RECEIVERS)) {
  test(`${name}: a signed event is handled, anything else is not`, async (t) => {
    const { post, received } = await start(t);
    const good = await post(body, await webhooks.sign(body, secret));
    assert.equal(good.status, 200, await good.text());
    assert.equal(received.length, 1);
    const [event] = received;
    assert.ok(event?.type === "message.received");
    assert.equal(event.data.body, "Grüße 👋");

    const changed = await post(`${body} `, await webhooks.sign(body, secret));
    assert.equal(changed.status, 400);
    const unsigned = await post(body, JSON_TYPE);
    assert.equal(unsigned.status, 400);
    assert.match(await unsigned.text(), /signature/);
    assert.equal(received.length, 1);
  });

  test(`${name}: a failing handler answers 500`, async (t) => {
    const { post, received } = await start(t);
    const broken = JSON.stringify({ ...JSON.parse(body), id: "evt_broken" });
    const answer = await post(broken, await webhooks.sign(broken, secret));
    assert.equal(answer.status, 500);
    assert.equal(received.length, 0);
  });

  test(`${name}: a body beyond the limit is refused`, async (t) => {
    const { post, received } = await start(t);
    const large = JSON.stringify({ id: "evt_1", text: "x".repeat(1024 * 1024) });
    const answer = await post(large, await webhooks.sign(large, secret)).catch(() => null);
    assert.ok(answer === null || answer.status === 413, String(answer?.status));
    assert.equal(received.length, 0);
  });
}

test("a parsed body is refused with a sentence that explains the fix", async (t) => {
  const app = express();
  app.use(express.json());
  app.post(
    "/hooks",
    webhooks.express(secret, () => {}),
  );
  const problems: string[] = [];
  app.use(
    (
      error: Error,
      _request: express.Request,
      response: express.Response,
      _next: express.NextFunction,
    ) => {
      problems.push(error.message);
      response.status(500).send("");
    },
  );
  const post = await served(t, app);
  await post(body, await webhooks.sign(body, secret));
  assert.match(problems[0] ?? "", /before express\.json\(\)/);
});
