import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import test, { type TestContext } from "node:test";
import { systemClock } from "../../../core/platform/clock.ts";
import { createOutgoing, parseAllowTargets } from "../../../core/platform/outgoing/index.ts";
import { createAuthorizer } from "./auth.ts";

/** A token endpoint whose answers the test sets, and an authorizer whose time the test sets. */
async function startStage(t: TestContext) {
  const asked: { authorization: string | undefined; body: string }[] = [];
  const stage = { asked, nowMs: 0, status: 200, expiresIn: 3_600 };
  const server = createServer(async (request: IncomingMessage, response) => {
    let body = "";
    for await (const piece of request) body += piece;
    asked.push({ authorization: request.headers.authorization, body });
    response.writeHead(stage.status, { "content-type": "application/json" });
    const token = { access_token: `token-${asked.length}`, expires_in: stage.expiresIn };
    response.end(JSON.stringify(stage.status === 200 ? token : { error: "invalid_client" }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const outgoing = createOutgoing({
    now: systemClock().monotonic,
    userAgent: "test",
    allowTargets: parseAllowTargets(`127.0.0.1:${port}`),
  });
  t.after(async () => {
    await outgoing.close();
    server.close();
  });
  const clock = { ...systemClock(), monotonic: () => stage.nowMs };
  const authorizer = createAuthorizer(
    {
      type: "oauth2",
      tokenUrl: `http://127.0.0.1:${port}/token`,
      clientId: "us",
      clientSecret: "s:cret",
      scope: "messages",
    },
    { clock, outgoing, signal: new AbortController().signal },
  );
  return { stage, authorizer };
}

test("a client credentials token is fetched once and kept until shortly before it expires", async (t) => {
  const { stage, authorizer } = await startStage(t);
  assert.equal(authorizer.value(), undefined);
  assert.deepEqual(await Promise.all([authorizer.prepare(), authorizer.prepare()]), [null, null]);
  assert.equal(authorizer.value(), "Bearer token-1");
  assert.equal(stage.asked.length, 1);
  const login = `Basic ${Buffer.from("us:s%3Acret").toString("base64")}`;
  assert.deepEqual(stage.asked[0], {
    authorization: login,
    body: "grant_type=client_credentials&scope=messages",
  });
  stage.nowMs = 3_539_000;
  assert.equal(authorizer.value(), "Bearer token-1");
  stage.nowMs = 3_541_000;
  assert.equal(authorizer.value(), undefined);
});

test("a refused token is renewed, unless it is fresh", async (t) => {
  const { stage, authorizer } = await startStage(t);
  await authorizer.prepare();
  assert.equal(authorizer.renew(), false, "a fresh token is no better than the next one");
  stage.nowMs = 31_000;
  assert.equal(authorizer.renew(), true);
  assert.equal(authorizer.value(), undefined);
  stage.status = 401;
  const problem = await authorizer.prepare();
  assert.match(problem?.problem ?? "", /^No token: 127\.0\.0\.1:\d+ answered http:401\.$/);
  assert.equal(problem?.isUnreachable, false);
});
