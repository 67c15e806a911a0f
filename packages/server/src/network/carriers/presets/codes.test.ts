/** Every code that a preset maps, put where its provider writes it, has the mapped meaning. */
import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { carriersFile } from "../../../../testing/smpp-stage.ts";
import type { HttpConfig } from "../config.ts";
import { DOUBLES } from "../doubles/index.ts";
import { readCarriersFile } from "../file.ts";
import { classifyAnswer, failureOf } from "../http/answer.ts";
import { HttpCallbacks } from "../http/callbacks.ts";
import type { ReceiptPaths } from "../http/callbacks-config.ts";
import type { ReceiptMeaning } from "../http/meanings.ts";
import type { ValuePath } from "../http/path.ts";
import { PRESETS } from "./index.ts";

const ANY = "*";
/** A word that no preset maps. */
const OTHER = "zz-other";

async function entryOf(t: TestContext, type: string, more: object = {}): Promise<HttpConfig> {
  const provider = DOUBLES.get(type)?.();
  assert.ok(provider);
  const base = { name: "own", base_url: "https://api.example.com", ...more };
  const file = await carriersFile(t, [{ ...provider.entry, ...base }]);
  const [config] = await readCarriersFile(file, provider.env);
  assert.ok(config?.type === "http");
  return config;
}

/** The content with a value at a path. Every item of a list is its first one. */
function withValue(content: unknown, path: ValuePath, value: string): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  if (typeof step === "string") {
    const fields = (content ?? {}) as Record<string, unknown>;
    return { ...fields, [step]: withValue(fields[step], rest, value) };
  }
  const items = [...((content ?? []) as unknown[])];
  items[step ?? 0] = withValue(items[step ?? 0], rest, value);
  return items;
}

/** A word for a key of the table: `beginning*` stands for words that begin so. */
function wordFor(key: string): string {
  return key === ANY ? OTHER : key.replace(/\*$/, OTHER);
}

function receiptOf(config: HttpConfig, paths: ReceiptPaths, word: string, code: string | null) {
  const fields: [readonly ValuePath[], string][] = [
    [paths.id.length > 0 ? paths.id : paths.reference, "id-1"],
    [paths.status, word],
    ...(code === null ? [] : ([[paths.error, code]] as [readonly ValuePath[], string][])),
  ];
  let item: unknown = {};
  for (const { path, values } of paths.when) item = withValue(item, path, [...values][0] ?? "");
  // A status may stand where a condition looks.
  for (const [at, value] of fields) item = withValue(item, at[0] ?? [], value);
  const options = { secret: "", signatures: [], receipts: { ...paths, when: [] }, inbound: null };
  const reader = new HttpCallbacks({} as never, config, options, () => null);
  const [receipt] = reader.read({
    ...{ kind: "receipts", query: "", contentType: "application/json", isItem: true },
    body: Buffer.from(JSON.stringify(item)),
  });
  assert.ok(receipt && "state" in receipt);
  return { state: receipt.state, failure: receipt.failure, hasOptedOut: receipt.hasOptedOut };
}

function outcomeOf(meaning: ReceiptMeaning) {
  const failure = failureOf(meaning) ?? undefined;
  const hasOptedOut = meaning === "opted_out" ? true : undefined;
  if (failure !== undefined) return { state: "failed", failure, hasOptedOut };
  return { state: meaning, failure, hasOptedOut };
}

for (const type of DOUBLES.keys()) {
  test(`${type}: codes of answers`, async (t) => {
    const { answer } = (await entryOf(t, type)).http;
    const meaningOf = (status: number, path: ValuePath | undefined, word: string) => {
      const given = withValue({}, answer.id ?? [], "id-1");
      const body = Buffer.from(JSON.stringify(path ? withValue(given, path, word) : given));
      const result = { kind: "answer", status, headers: {}, body, truncated: false } as never;
      return classifyAnswer(result, answer, "ours").meaning;
    };
    for (const [key, meaning] of answer.errors) {
      assert.equal(meaningOf(400, answer.error[0], wordFor(key)), meaning, `error ${key}`);
    }
    for (const [key, meaning] of answer.statuses) {
      assert.equal(meaningOf(200, answer.status ?? [], wordFor(key)), meaning, `status ${key}`);
    }
    for (const [status, meaning] of answer.httpStatuses) {
      assert.equal(meaningOf(Number(status), undefined, ""), meaning, `HTTP ${status}`);
    }
  });

  test(`${type}: codes of receipts, called back and polled`, async (t) => {
    const called = await entryOf(t, type);
    const polled = PRESETS.get(type)?.options["poll_seconds"]
      ? await entryOf(t, type, { poll_seconds: 60 })
      : null;
    const lists = [called.http.callbacks?.receipts, polled?.http.poll?.receipts?.paths];
    let walked = 0;
    for (const paths of lists.flatMap((one) => one ?? [])) {
      for (const [key, meaning] of paths.statuses) {
        const read = receiptOf(called, paths, wordFor(key), null);
        assert.deepEqual(read, outcomeOf(meaning), `status ${key}`);
        walked += 1;
      }
      const failed = [...paths.statuses].find(([, meaning]) => failureOf(meaning) !== null);
      for (const [key, meaning] of paths.errors) {
        const read = receiptOf(called, paths, wordFor(failed?.[0] ?? "failed"), wordFor(key));
        assert.deepEqual(read, outcomeOf(meaning), `error ${key}`);
        walked += 1;
      }
    }
    assert.ok(walked > 0, "a preset maps its statuses");
  });
}
