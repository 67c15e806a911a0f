import assert from "node:assert/strict";
import { fromApiId } from "../src/core/platform/ids.ts";
import type { Answer, Kit, RequestOptions } from "./kit.ts";
import { until } from "./until.ts";

/** Number that tests send batches from; `giveNumber(kit)` assigns it to the account. */
export const BATCH_FROM = "+15005550100";

/** Distinct phones that the sandbox delivers to. */
export function phones(count: number, start = 0): string[] {
  return Array.from({ length: count }, (_, n) => phone(start + n));
}

export function phone(n: number): string {
  return `+1${212 + Math.floor(n / 8_000_000)}${2_000_000 + (n % 8_000_000)}`;
}

/** POST /batches with defaults. */
export function postBatch(
  kit: Kit,
  body: Readonly<Record<string, unknown>>,
  options: RequestOptions = {},
): Promise<Answer> {
  return kit.request("POST", "/v1/batches", {
    ...options,
    body: { from: BATCH_FROM, body: "Hello", ...body },
  });
}

/** Creates a batch to these numbers and returns it. */
export async function makeBatch(
  kit: Kit,
  to: readonly string[],
  more: Readonly<Record<string, unknown>> = {},
  options: RequestOptions = {},
) {
  const recipients = to.map((number) => ({ to: number }));
  const answer = await postBatch(kit, { recipients, ...more }, options);
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body;
}

/** GET /batches/{id}; checks that the counts add up. */
export async function readBatch(kit: Kit, id: string) {
  const answer = await kit.request("GET", `/v1/batches/${id}`);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  assertAddsUp(answer.body);
  return answer.body;
}

export function assertAddsUp(batch: { counts: Readonly<Record<string, number>> }): void {
  const { total, ...parts } = batch.counts;
  const sum = Object.values(parts).reduce((all, part) => all + part, 0);
  assert.equal(sum, total, JSON.stringify(batch.counts));
}

/** Polls until the batch has the status. */
export async function untilBatch(kit: Kit, id: string, status: string, msMax?: number) {
  await until(async () => (await readBatch(kit, id)).status === status, msMax);
  return readBatch(kit, id);
}

/** Controls a batch with a key of the batch's own mode. */
export async function control(
  kit: Kit,
  id: string,
  action: "pause" | "resume" | "cancel" | "retry",
): Promise<Answer> {
  const uuid = fromApiId("batch", id);
  const [batch] = await kit.rows("select mode from batches where id = $1", [uuid]);
  const key = batch?.mode === "live" ? kit.liveKey : kit.testKey;
  return kit.request("POST", `/v1/batches/${id}/${action}`, { key });
}

/** Every recipient, over all pages. */
export async function recipientsOf(kit: Kit, id: string, query = "") {
  const all = [];
  let cursor = "";
  for (let pages = 0; pages < 100; pages += 1) {
    const path = `/v1/batches/${id}/recipients?limit=500${query}${cursor}`;
    const { status, body } = await kit.request("GET", path);
    assert.equal(status, 200, JSON.stringify(body));
    all.push(...body.data);
    if (!body.has_more) return all;
    cursor = `&cursor=${body.next_cursor}`;
  }
  throw new Error("A batch has more pages than it can have recipients.");
}
