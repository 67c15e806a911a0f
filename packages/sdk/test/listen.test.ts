import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { BadRequestError, type ListenState, type ListenStore, Longwave } from "../src/index.ts";
import { fileStore } from "../src/node.ts";
import { answer, fakeFetch, type RecordedRequest, type Reply, refusal } from "./fake-server.ts";

function events(ids: readonly string[], cursor: string): Response {
  const data = ids.map((id) => ({ id, object: "event", type: typeOf(id), data: {} }));
  return answer(200, { object: "event_wait", data, cursor, has_more: false });
}

function typeOf(id: string): string {
  return id.startsWith("evt_in") ? "message.received" : "message.sent";
}

function listening(replies: readonly Reply[]) {
  const stopping = new AbortController();
  const hold = (_asked: RecordedRequest, signal: AbortSignal) =>
    new Promise<Response>((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
    });
  const { fetch, asked } = fakeFetch([...replies, hold]);
  const client = new Longwave({ apiKey: "svc_sk_test_1", fetch });
  return { client, asked, stopping };
}

function memoryStore(kept: ListenState | null = null) {
  const states: ListenState[] = kept ? [kept] : [];
  const store: ListenStore = {
    load: () => states.at(-1) ?? null,
    save: (state) => void states.push(state),
  };
  return { store, last: () => states.at(-1) };
}

test("without a store it begins now; then every event once, by its cursor", async () => {
  const { client, asked, stopping } = listening([
    events([], "c0"),
    events(["evt_1", "evt_2"], "c1"),
    events(["evt_2", "evt_3"], "c2"),
  ]);
  const seen: string[] = [];
  for await (const event of client.events.listen({ signal: stopping.signal })) {
    seen.push(event.id);
    if (event.id === "evt_3") setTimeout(() => stopping.abort(), 5);
  }
  assert.deepEqual(seen, ["evt_1", "evt_2", "evt_3"]);
  assert.deepEqual(
    asked.map((one) => one.url.search),
    ["", "?cursor=c0&timeout=20", "?cursor=c1&timeout=20", "?cursor=c2&timeout=20"],
  );
});

test("an interrupted run resumes after the last handled event", async () => {
  const { store, last } = memoryStore();
  const first = listening([events([], "c0"), events(["evt_1", "evt_2", "evt_3"], "c1")]);
  for await (const event of first.client.events.listen({ store })) {
    if (event.id === "evt_2") break;
  }
  assert.deepEqual(last(), { cursor: "c0", handled: ["evt_1"] });

  const second = listening([events(["evt_1", "evt_2", "evt_3"], "c1")]);
  const seen: string[] = [];
  const { signal } = second.stopping;
  for await (const event of second.client.events.listen({ store, signal })) {
    seen.push(event.id);
    if (event.id === "evt_3") setTimeout(() => second.stopping.abort(), 5);
  }
  assert.equal(second.asked[0]?.url.searchParams.get("cursor"), "c0");
  assert.deepEqual(seen, ["evt_2", "evt_3"]);
  assert.deepEqual(last(), { cursor: "c1", handled: ["evt_1", "evt_2", "evt_3"] });
});

test("only the requested types are yielded, and the cursor moves past the others", async () => {
  const { store, last } = memoryStore({ cursor: "c0", handled: [] });
  const { client, stopping } = listening([events(["evt_1", "evt_in_2", "evt_3"], "c1")]);
  const seen: string[] = [];
  const options = { store, types: ["message.received"], signal: stopping.signal } as const;
  for await (const event of client.events.listen(options)) {
    seen.push(event.id);
    setTimeout(() => stopping.abort(), 5);
  }
  assert.deepEqual(seen, ["evt_in_2"]);
  assert.equal(last()?.cursor, "c1");
});

test("a broken connection is retried and reported; a refusal throws", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const problems: string[] = [];
  const { client } = listening([
    new TypeError("fetch failed"),
    refusal(503, "unavailable"),
    events(["evt_1"], "c1"),
  ]);
  const onProblem = (error: Error) => {
    problems.push(error.name);
    setImmediate(() => t.mock.timers.tick(60_000));
  };
  const { store } = memoryStore({ cursor: "c0", handled: [] });
  for await (const event of client.events.listen({ store, onProblem })) {
    assert.equal(event.id, "evt_1");
    break;
  }
  assert.deepEqual(problems, ["ConnectionError", "UnavailableError"]);

  const refused = listening([refusal(400, "invalid_request")]);
  await assert.rejects(refused.client.events.listen({ store }).next(), BadRequestError);
});

test("an aborted signal ends the loop without an error", async () => {
  const { client, stopping, asked } = listening([events([], "c0")]);
  setTimeout(() => stopping.abort(), 10);
  const all = [];
  for await (const event of client.events.listen({ signal: stopping.signal })) all.push(event);
  assert.deepEqual(all, []);
  assert.equal(asked.length, 2);
});

async function temporaryFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "lw-sdk-"));
  t.after(() => rm(folder, { recursive: true }));
  return folder;
}

test("a file keeps the position, readable for its owner alone", async (t) => {
  const file = join(await temporaryFolder(t), "deep/place.json");
  const store = fileStore(file);
  assert.equal(await store.load(), null);
  const state = { cursor: "c1", handled: ["evt_1"] };
  await store.save(state);
  assert.deepEqual(await fileStore(file).load(), state);
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  await writeFile(file, "half a sta");
  await assert.rejects(async () => store.load(), /remove it to begin anew/);
  assert.equal(await readFile(file, "utf8"), "half a sta");
});
