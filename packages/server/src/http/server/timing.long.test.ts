import assert from "node:assert/strict";
import { test } from "node:test";
import { startKit } from "../../../testing/kit.ts";
import { rawConnection } from "../../../testing/raw-http.ts";
import { mintKey } from "../../account/keys/create.ts";
import { toApiId } from "../../core/platform/ids.ts";
import { systemRandom } from "../../core/platform/random.ts";

const SAMPLES_EACH = 5_000;
/** The fastest part of the answers is the most telling: slow ones were delayed by other work. */
const KEPT_PART = 0.9;
/** Welch's t beyond this separates two samples with an error of one in 100,000. */
const T_MAX = 4.5;

/**
 * The cost of a refusal must not reveal how close a guess came: whether the key was ever minted, or shares a prefix
 * with a real one.
 */
test("a 401 takes as long for a revoked key as for one that never existed", async (t) => {
  const kit = await startKit(t);
  const account = toApiId("account", kit.account.id);
  const revoked: string[] = [];
  for (let count = 0; count < 20; count += 1) {
    const made = await kit.operator("POST", `/accounts/${account}/keys`, { mode: "test" });
    await kit.operator("DELETE", `/keys/${made.body.id}`);
    revoked.push(made.body.key);
  }
  const random = systemRandom();
  const kinds = [
    () => mintKey(random, "test").key,
    () => revoked[(random.bytes(1)[0] ?? 0) % revoked.length] ?? "",
  ];
  const tookMs: [number[], number[]] = [[], []];
  let connection = await rawConnection(kit.url);
  for (let count = 0; count < 2 * SAMPLES_EACH; count += 1) {
    const kind = (random.bytes(1)[0] ?? 0) % 2 === 0 ? 0 : 1;
    const key = kinds[kind]?.() ?? "";
    const begunAt = performance.now();
    connection.write(`GET /v1/account HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`);
    const { status } = await connection.next();
    tookMs[kind].push(performance.now() - begunAt);
    assert.ok(status === 401 || status === 429);
    if (count % 900 === 899) {
      connection.socket.destroy();
      connection = await rawConnection(kit.url);
    }
  }
  connection.socket.destroy();
  const [never, once] = tookMs.map(fastest) as [number[], number[]];
  const difference = welch(never, once);
  t.diagnostic(`t = ${difference.toFixed(2)} over ${never.length} and ${once.length} answers`);
  assert.ok(Math.abs(difference) < T_MAX, `t = ${difference}`);
});

function fastest(values: readonly number[]): number[] {
  return values.toSorted((a, b) => a - b).slice(0, Math.floor(values.length * KEPT_PART));
}

function welch(one: readonly number[], other: readonly number[]): number {
  const mean = (values: readonly number[]) =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = (values: readonly number[]) => {
    const middle = mean(values);
    return (
      values.reduce((sum, value) => sum + (value - middle) ** 2, 0) /
      (values.length - 1) /
      values.length
    );
  };
  return (mean(one) - mean(other)) / Math.sqrt(variance(one) + variance(other));
}
