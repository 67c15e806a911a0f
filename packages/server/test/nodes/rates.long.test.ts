import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../../testing/free-port.ts";
import { temporaryFolder } from "../../testing/temporary-folder.ts";
import { openStage } from "../kills/stage.ts";

const NODES = 4;
/** Rate that four nodes and their clients can exceed on two cores. */
const RATE = 100;
const MEASURED_MS = 10_000;
const CLIENTS_PER_NODE = 4;
const REFUSED_PAUSE_MS = 20;
/** Allowed deviation of passed requests from the rate. */
const TOLERANCE = 0.05;

/** Sends requests to a node from a few clients; counts passed and refused ones. */
async function hammer(url: string, key: string, endsAt: number) {
  const client = async () => {
    const counts = { passed: 0, refused: 0 };
    while (performance.now() < endsAt) {
      const answer = await fetch(`${url}/v1/account`, {
        headers: { authorization: `Bearer ${key}` },
        signal: AbortSignal.timeout(5_000),
      });
      await answer.arrayBuffer();
      assert.ok([200, 429].includes(answer.status), String(answer.status));
      if (answer.status === 200) {
        counts.passed += 1;
      } else {
        counts.refused += 1;
        await sleep(REFUSED_PAUSE_MS);
      }
    }
    return counts;
  };
  return sumOf(await Promise.all(Array.from({ length: CLIENTS_PER_NODE }, client)));
}

function sumOf(counts: readonly { readonly passed: number; readonly refused: number }[]) {
  return counts.reduce((sum, { passed, refused }) => ({
    passed: sum.passed + passed,
    refused: sum.refused + refused,
  }));
}

test("an account's rate holds within 5 % over four nodes, and over three after a kill", async (t) => {
  const stage = await openStage(t, { window: 10 });
  const nodes = await Promise.all(
    Array.from({ length: NODES }, async () => {
      const port = await freePort();
      const env = {
        PORT: String(port),
        LONGWAVE_DATA: await temporaryFolder(t),
        LONGWAVE_SECRET_KEY: "6d".repeat(32),
      };
      return { url: `http://127.0.0.1:${port}`, program: await stage.start(env) };
    }),
  );
  await stage.prepare(nodes[0]?.url);
  const { id } = await stage.operator("POST", "/accounts", { name: "Limited" });
  await stage.operator("PATCH", `/accounts/${id}`, { rate_limit: RATE });
  const { key } = await stage.operator("POST", `/accounts/${id}/keys`, { mode: "test" });
  const measure = async (urls: readonly string[], ms: number) => {
    const startedAt = performance.now();
    const counts = await Promise.all(urls.map((url) => hammer(url, key, startedAt + ms)));
    const allowed = (RATE * (performance.now() - startedAt)) / 1_000;
    return { ...sumOf(counts), parts: counts.map(({ passed }) => passed), allowed };
  };
  const tokensLeft = async () => {
    const [row] = await stage.rows(
      `select least(2 * $1, tokens + extract(epoch from clock_timestamp() - refilled_at) * $1)::float8 as left
         from rate_buckets`,
      [RATE],
    );
    return row.left as number;
  };
  const assertRate = async (urls: readonly string[]) => {
    // Uses up the burst first.
    await measure(urls, 3_000);
    const before = await tokensLeft();
    const { passed, refused, parts, allowed } = await measure(urls, MEASURED_MS);
    // Tokens that a busy machine's clients did not use count as available; earlier leftovers do not.
    const unused = (await tokensLeft()) - before;
    t.diagnostic(
      `${urls.length} nodes: ${passed} of ${Math.round(allowed)} (${parts.join(", ")}), ${Math.round(unused)} left over`,
    );
    assert.ok(refused > passed / 4, `only ${refused} refused: this machine is too busy`);
    const off = Math.abs((passed + unused) / allowed - 1);
    assert.ok(off <= TOLERANCE, `${passed} passed and ${unused} were left over of ${allowed}`);
  };
  const urls = nodes.map((node) => node.url);
  await assertRate(urls);
  nodes[0]?.program.child.kill("SIGKILL");
  await assertRate(urls.slice(1));
});
