import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { freePort } from "../../../../testing/free-port.ts";
import { createOutgoing, parseAllowTargets, parsePrivateTargets } from "./index.ts";

const DEADLINE_MS = 5_000;

async function reasonFor(url: string, allowed: string): Promise<string> {
  const outgoing = createOutgoing({
    now: () => performance.now(),
    userAgent: "test",
    allowTargets: parseAllowTargets(allowed),
  });
  const request = { method: "POST", url, headers: [], deadlineMs: DEADLINE_MS } as const;
  const result = await outgoing.request({ ...request, bodyBytesMax: 10 });
  await outgoing.close();
  return result.kind === "failed" ? result.reason : String(result.status);
}

test("a failed request names its reason", async (t) => {
  const plain = createServer((_, response) => response.end());
  await new Promise<void>((resolve) => plain.listen(0, "127.0.0.1", resolve));
  t.after(() => plain.close());
  const { port } = plain.address() as AddressInfo;
  const closed = await freePort();
  assert.equal(await reasonFor(`http://127.0.0.1:${port}/`, "127.0.0.1/32"), "200");
  assert.equal(await reasonFor(`https://127.0.0.1:${port}/`, "127.0.0.1/32"), "tls");
  assert.equal(await reasonFor(`http://127.0.0.1:${closed}/`, "127.0.0.1/32"), "refused");
  assert.equal(await reasonFor(`https://127.0.0.1:${port}/`, ""), "blocked");
  assert.equal(await reasonFor("http://nowhere.invalid:8080/", "nowhere.invalid:8080"), "dns");
});

test("a private target is a host, at one port or at any", async (t) => {
  const receiver = createServer((_, response) => response.end());
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  t.after(() => receiver.close());
  const { port } = receiver.address() as AddressInfo;
  const reach = async (targets: string, url: string) => {
    const allowTargets = parsePrivateTargets(targets);
    const outgoing = createOutgoing({
      now: () => performance.now(),
      userAgent: "test",
      allowTargets,
    });
    const request = { method: "POST", url, headers: [], deadlineMs: DEADLINE_MS } as const;
    const { kind } = await outgoing.request({ ...request, bodyBytesMax: 10 });
    const isSaved = outgoing.checkUrl(url).ok;
    await outgoing.close();
    return [kind, isSaved];
  };
  const url = `http://localhost:${port}/hooks`;
  assert.deepEqual(await reach("localhost", url), ["answer", true]);
  assert.deepEqual(await reach(`localhost:${port}`, url), ["answer", true]);
  assert.deepEqual(await reach("localhost:1", url), ["failed", false]);
  assert.deepEqual(await reach("crm.internal", url), ["failed", false]);
  assert.throws(() => parsePrivateTargets("10.0.0.0/8"), /neither a host nor host:port/);
});
