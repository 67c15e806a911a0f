import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import pg, { type ClientConfig } from "pg";
import { cloneDatabase, superuserOf } from "../../../testing/cluster.ts";
import { startFaultProxy } from "../../../testing/fault-proxy.ts";
import { type Answer, startKitOn } from "../../../testing/kit.ts";
import { assertProblem } from "../../../testing/problems.ts";
import { watchRoundTrips } from "../../../testing/round-trips.ts";
import { until } from "../../../testing/until.ts";

/** Upper bound in ms of a wait for a silent database: connecting gives up after 4 s. */
const ANSWER_MS_MAX = 5_000;
/** The bound is for an idle machine: a busy one may add this many of its own round trips. */
const ROUND_TRIPS = 50;

describe("an unavailable database", () => {
  /** Asserts that all requests get 503; returns the slowest duration in ms. */
  const assertUnavailable = async (requests: (() => Promise<Answer>)[]): Promise<number> => {
    const answers = await Promise.all(requests.map((one) => timed(one())));
    for (const { answer } of answers) {
      assertProblem(answer, 503, "unavailable", null);
      assert.ok(Number(answer.headers.get("retry-after")) >= 1);
    }
    return Math.max(...answers.map(({ ms }) => ms));
  };
  /**
   * Waits until all requests succeed. Statements that a lane or the readiness probe sent during the fault may still
   * time out, and fail the calls queued behind them on the connection. Returns when the last failure ended.
   */
  const assertBack = async (requests: (() => Promise<Answer>)[]): Promise<number> => {
    const backAt = performance.now();
    let waitedMs = 0;
    await until(async () => {
      const answers = await Promise.all(requests.map((one) => timed(one())));
      const refused = answers.filter(({ answer }) => answer.status !== 200);
      for (const { answer, startedAt, ms } of refused) {
        assertProblem(answer, 503, "unavailable", null);
        waitedMs = Math.max(waitedMs, startedAt - backAt, ms);
      }
      return refused.length === 0;
    });
    return waitedMs;
  };

  for (const fault of ["away", "black-hole"] as const) {
    it(`(${fault}) is 503 within 5 seconds everywhere, and service recovers by itself`, async (t) => {
      const database = await cloneDatabase();
      t.after(database.drop);
      const proxy = await startFaultProxy(t, database.connection);
      const kit = await startKitOn(t, proxy.connection, { LONGWAVE_RATE_LIMIT: "1000" });
      const roundTripMs = await watchDirectly(t, database.connection);
      const requests = [
        () => kit.request("GET", "/v1/account"),
        () => kit.request("PATCH", "/v1/account", { body: { phrase_opt_out: "flag" } }),
        () => kit.operator("GET", "/accounts"),
        () => kit.request("GET", "/v1/account", { key: kit.liveKey }),
        () => kit.operator("POST", "/accounts", { name: "a" }),
      ];
      const taken = requests.slice(0, 3);
      for (const request of taken) assert.equal((await request()).status, 200);
      proxy.set(fault);
      const waitedMs = [await assertUnavailable(requests), await assertUnavailable(requests)];
      assert.equal((await kit.request("GET", "/healthz", { key: null })).status, 200);
      assert.equal((await kit.request("GET", "/readyz", { key: null })).status, 503);
      proxy.set("none");
      waitedMs.push(await assertBack(taken));
      const allowedMs = ANSWER_MS_MAX + ROUND_TRIPS * (await roundTripMs());
      assert.ok(Math.max(...waitedMs) < allowedMs, `waited ${waitedMs} ms, ${allowedMs} allowed`);
    });
  }
});

async function timed(work: Promise<Answer>) {
  const startedAt = performance.now();
  return { answer: await work, startedAt, ms: performance.now() - startedAt };
}

/** Probes the database directly, bypassing the fault. */
async function watchDirectly(t: TestContext, connection: ClientConfig) {
  const client = new pg.Client(await superuserOf(connection));
  // The test drops this client's database first.
  client.on("error", () => {});
  await client.connect();
  t.after(() => client.end());
  return watchRoundTrips({ rows: async (text) => (await client.query(text)).rows });
}
