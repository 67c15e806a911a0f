import assert from "node:assert/strict";
import { before, describe, it, type TestContext } from "node:test";
import { OPERATOR_TOKEN } from "../../../testing/kit.ts";
import { suiteKit } from "../../../testing/suite.ts";
import { type ServeOptions, serve } from "../../app/serve.ts";
import { systemClock } from "../../core/platform/clock.ts";
import { createRefusalThrottle, REFUSAL_THROTTLE_LIMITS } from "./refusal-throttle.ts";

/** A frozen clock that records the requested waits. */
function frozenClock() {
  const slept: number[] = [];
  let nowMs = 1_000_000;
  const clock = {
    ...systemClock(),
    monotonic: () => nowMs,
    sleep: async (ms: number) => void slept.push(ms),
  };
  return { clock, slept, pass: (ms: number) => (nowMs += ms) };
}

describe("the refusal throttle", () => {
  it("delays later refusals, in order, and never for long", async () => {
    const { clock, slept, pass } = frozenClock();
    const refusalThrottle = createRefusalThrottle(clock, REFUSAL_THROTTLE_LIMITS);
    for (let count = 0; count < 200; count += 1) await refusalThrottle.wait("a");
    assert.deepEqual(slept, []);
    for (let count = 0; count < 3; count += 1) await refusalThrottle.wait("a");
    assert.deepEqual(slept, [10, 20, 30]);
    await refusalThrottle.wait("b");
    assert.equal(slept.length, 3, "another key does not wait for it");
    for (let count = 0; count < 2_000; count += 1) await refusalThrottle.wait("a");
    assert.equal(Math.max(...slept), REFUSAL_THROTTLE_LIMITS.waitMsMax);
    pass(REFUSAL_THROTTLE_LIMITS.waitMsMax + 2_000);
    slept.length = 0;
    for (let count = 0; count < 200; count += 1) await refusalThrottle.wait("a");
    assert.deepEqual(slept, [], "after a while all is forgotten");
  });

  describe("over HTTP", () => {
    const suite = suiteKit({ LONGWAVE_RATE_LIMIT: "1", LONGWAVE_TRUSTED_PROXIES: "127.0.0.1/32" });
    // Buckets stay empty: a token would refill within a second.
    before(() => suite().stopBuckets());
    const PACE = { refusalThrottleLimits: { refusalsBurst: 1, refusalsPerSecond: 5 } };
    const PACE_MS = 1_000 / 5;

    async function startServer(t: TestContext, options: Partial<ServeOptions>): Promise<string> {
      const usual = { host: "127.0.0.1", port: 0, operatorToken: OPERATOR_TOKEN };
      const server = await serve(suite().deps, { ...usual, ...PACE, ...options });
      t.after(server.close);
      return server.url;
    }
    const tookMs = async (work: () => Promise<unknown>) => {
      const begun = performance.now();
      await work();
      return performance.now() - begun;
    };

    it("an account without tokens, on any path", async (t) => {
      const url = await startServer(t, {});
      const headers = { authorization: `Bearer ${suite().testKey}` };
      const ask = async (path: string) => (await fetch(url + path, { headers })).status;
      while ((await ask("/v1/account")) !== 429);
      // Four at once: they leave one after another, and unknown paths queue with them.
      let statuses: number[] = [];
      const paths = ["/v1/account", "/v1/nothing", "/v1/account", "/v1/nothing"];
      const ms = await tookMs(async () => {
        statuses = await Promise.all(paths.map(ask));
      });
      assert.deepEqual(statuses, [429, 404, 429, 404]);
      assert.ok(ms >= 3 * PACE_MS, `all of them after ${ms} ms`);
    });

    it("an address without a valid key", async (t) => {
      const addressLimits = { refusalsBurst: 1, refusalsPerSecond: 0.01 };
      const url = await startServer(t, { addressLimits });
      const ask = async (key: string) => {
        const headers = { authorization: `Bearer ${key}`, "x-forwarded-for": "203.0.113.9" };
        return (await fetch(`${url}/operator/v1/accounts`, { headers })).status;
      };
      assert.equal(await ask("x"), 401);
      assert.equal(await ask("x"), 429);
      let statuses: number[] = [];
      const ms = await tookMs(async () => {
        statuses = await Promise.all(Array.from({ length: 4 }, () => ask("x")));
      });
      assert.deepEqual(statuses, Array(4).fill(429));
      assert.ok(ms >= 3 * PACE_MS, `all of them after ${ms} ms`);
      assert.equal(await ask(OPERATOR_TOKEN), 200);
    });
  });
});
