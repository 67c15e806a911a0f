import assert from "node:assert/strict";
import { request } from "node:http";
import { connect, type Socket } from "node:net";
import test, { type TestContext } from "node:test";
import { giveNumber } from "../../../../testing/give-number.ts";
import { startKit } from "../../../../testing/kit.ts";
import { goLive } from "../../../../testing/live.ts";
import {
  AGGREGATOR_SECRET,
  aggregatorEntry,
  startAggregator,
} from "../../../../testing/mock-aggregator.ts";
import { carriersFile } from "../../../../testing/smpp-stage.ts";
import { until } from "../../../../testing/until.ts";
import { createLog } from "../../../core/platform/log.ts";
import { callbackUrl } from "./callbacks.ts";

const FROM = "+14155550100";
/** Refusals among a hundred withheld bodies once the memory of all callbacks is full. */
const ANSWERS_WHEN_FULL = 12;

/** A server with three carriers: signed paths, a declared answer, and signed callbacks. */
async function startStage(t: TestContext) {
  const lines: string[] = [];
  const aggregator = await startAggregator(t);
  const paths = { from: "msisdn", to: "to", body: "text" };
  const file = await carriersFile(t, [
    aggregatorEntry(aggregator),
    aggregatorEntry(aggregator, {
      name: "plain",
      callbacks: {
        secret: AGGREGATOR_SECRET,
        receipts: { id: "id", status: "state" },
        inbound: { ...paths, part: { reference: "ref", total: "of", number: "part" } },
      },
    }),
    aggregatorEntry(aggregator, {
      name: "declared",
      callbacks: {
        secret: AGGREGATOR_SECRET,
        receipts: { id: "id", status: "state", answer: { status: 204 } },
        inbound: {
          ...paths,
          answer: { status: 202, content_type: "text/xml; charset=utf-8", body: "<Response/>" },
        },
      },
    }),
  ]);
  const destination = { write: (line: string) => lines.push(line) };
  const log = createLog({ level: "warn", destination });
  const kit = await startKit(t, { LONGWAVE_CARRIERS: file }, { log });
  aggregator.server = kit.url;
  await goLive(kit, 100);
  await giveNumber(kit, { phone: FROM, mode: "live", senderState: "active" });
  const path = (carrier: string, kind: "receipts" | "inbound") => {
    const config = kit.deps.carriers.links().find((one) => one.config.name === carrier)?.config;
    assert.ok(config?.type === "http");
    return callbackUrl(carrier, config.http.callbacks, kind);
  };
  const post = (at: string, body: string) =>
    fetch(kit.url + at, { method: "POST", body, headers: { "content-type": "application/json" } });
  return { kit, aggregator, lines, path, post };
}

async function assertEmpty(response: Response, status: number): Promise<void> {
  assert.equal(response.status, status);
  assert.equal(await response.text(), "");
  assert.equal(response.headers.get("content-type"), null);
}

test("callback answers are empty unless the file declares a body: some carriers text it to the sender", async (t) => {
  const { kit, lines, path, post } = await startStage(t);
  const inbound = path("plain", "inbound");
  const text = JSON.stringify({ msisdn: "14155558334", to: FROM, text: "Hi" });
  await assertEmpty(await post(inbound, text), 200);
  await assertEmpty(await post(inbound, "{"), 400);
  await assertEmpty(await post(inbound, "{}"), 400);
  await assertEmpty(await post("/callbacks/plain/inbound", text), 401);
  await assertEmpty(await post("/callbacks/nobody/inbound", text), 404);
  await assertEmpty(await post("/callbacks/plain/others", text), 404);
  await assertEmpty(await post(inbound, "x".repeat(300_000)), 413);
  await kit.rows("alter table carrier_inbox add constraint nothing_new check (false) not valid");
  const unstored = JSON.stringify({ msisdn: "14155558335", to: FROM, text: "Hi" });
  await assertEmpty(await post(inbound, unstored), 500);
  await kit.rows("alter table carrier_inbox drop constraint nothing_new");
  const declared = await post(path("declared", "inbound"), text);
  assert.equal(declared.status, 202);
  assert.equal(declared.headers.get("content-type"), "text/xml; charset=utf-8");
  assert.equal(await declared.text(), "<Response/>");
  const receipt = JSON.stringify({ id: "no-such-message", state: "delivered" });
  const stored = await post(path("declared", "receipts"), receipt);
  await assertEmpty(stored, 204);
  assert.equal(stored.headers.get("content-length"), null);
  const refused = lines.map((line) => JSON.parse(line)).filter(({ msg }) => /refused/.test(msg));
  assert.deepEqual(
    refused.map(({ msg, carrier, kind, status }) => [msg, carrier, kind, status]),
    [400, 400, 401, 413].map((status) => [
      "carriers: callback refused",
      "plain",
      "inbound",
      status,
    ]),
  );
  assert.match(refused[0].reason, /neither JSON nor a form/);
  assert.match(refused[2].reason, /Call the whole path that check-config prints/);
});

test("wrong credentials are refused before the body, limited per address, and logged once", async (t) => {
  const { kit, lines, path } = await startStage(t);
  const withoutBody = (at: string, headers: object = {}) =>
    new Promise<number>((resolve, reject) => {
      const options = { method: "POST", headers: { "content-length": 100_000, ...headers } };
      const asked = request(kit.url + at, options, (answer) => {
        resolve(answer.statusCode ?? 0);
        asked.destroy();
      });
      asked.on("error", reject);
      asked.flushHeaders();
    });
  assert.equal(await withoutBody("/callbacks/plain/inbound/none"), 401);
  assert.equal(await withoutBody("/callbacks/aggregator/receipts"), 401);
  const guess = async (at: string) => (await fetch(kit.url + at, { method: "POST" })).status;
  const statuses = new Set<number>();
  // The limit refills 20 a second in real time, so a slow machine needs more than one round.
  for (let round = 0; round < 20 && !statuses.has(429); round += 1) {
    const guesses = Array.from({ length: 300 }, (_, n) =>
      guess(n % 3 === 0 ? "/callbacks/nobody/inbound" : `/callbacks/plain/inbound/${n}`),
    );
    for (const status of await Promise.all(guesses)) statuses.add(status);
  }
  assert.deepEqual(
    [...statuses].toSorted((a, b) => a - b),
    [401, 404, 429],
  );
  const refused = lines.map((line) => JSON.parse(line)).filter(({ msg }) => /refused/.test(msg));
  assert.equal(refused.filter(({ carrier }) => carrier === "plain").length, 1);
  const body = JSON.stringify({ msisdn: "14155558339", to: FROM, text: "Hi" });
  const headers = { "content-type": "application/json" };
  const right = await fetch(kit.url + path("plain", "inbound"), { method: "POST", body, headers });
  assert.equal(right.status, 200, "a right token is never limited");
});

test("bodies that anonymous clients withhold keep no callback out, whatever their size", async (t) => {
  const { kit, aggregator } = await startStage(t);
  const clients: Socket[] = [];
  t.after(() => {
    for (const client of clients) client.destroy();
  });
  let answers = 0;
  // Together they would fill the memory of all callbacks, the part for small bodies too.
  const answeredEnough = new Promise<void>((resolve) => {
    const withhold = (bytes: number) => {
      const client = connect(Number(new URL(kit.url).port), "127.0.0.1");
      clients.push(client);
      client.on("error", () => {});
      client.on("data", () => {
        answers += 1;
        if (answers === ANSWERS_WHEN_FULL) resolve();
      });
      const timestamp = Math.floor(Date.now() / 1_000);
      const head = `POST /callbacks/aggregator/receipts HTTP/1.1\r\nHost: here\r\nX-Timestamp: ${timestamp}`;
      client.write(`${head}\r\nX-Signature: guess\r\nContent-Length: ${bytes}\r\n\r\n`);
      client.write("x".repeat(bytes - 1));
    };
    for (let count = 0; count < 60; count += 1) withhold(256 * 1_024);
    for (let count = 0; count < 40; count += 1) withhold(64 * 1_024);
  });
  await answeredEnough;
  const receipt = { id: "no-such-message", status: "delivered" };
  assert.equal(await aggregator.call("/callbacks/aggregator/receipts", receipt), 200);
});

test("a callback with NUL, half a surrogate pair or long ids is stored without an error", async (t) => {
  const { kit, aggregator, lines, path } = await startStage(t);
  for (const value of ["a\u0000b", "c\ud800d", "x".repeat(5_000)]) {
    const receipt = { id: value, client_ref: value, status: "delivered", error: value };
    assert.equal(await aggregator.call("/callbacks/aggregator/receipts", receipt), 200);
    const failed = { ...receipt, status: value };
    assert.equal(await aggregator.call("/callbacks/aggregator/receipts", failed), 200);
    const text = { id: value, from: value, to: FROM, text: value };
    assert.equal(await aggregator.call("/callbacks/aggregator/inbound", text), 200);
    const stray = { id: `${value}-2`, from: "+14155558335", to: value, text: "Hi" };
    assert.equal(await aggregator.call("/callbacks/aggregator/inbound", stray), 200);
  }
  const query = "id=%00&msisdn=%00&to=%00&text=%00&ref=%00&of=%00&part=%00";
  await assertEmpty(await fetch(`${kit.url}${path("plain", "inbound")}?${query}`), 200);
  assert.equal((await fetch(`${kit.url}/callbacks/%00/inbound/%00?${query}`)).status, 404);
  const stored = async (kind: string) =>
    (await kit.rows("select 1 from carrier_inbox where kind = $1", [kind])).length;
  assert.deepEqual([await stored("receipt"), await stored("inbound")], [6, 7]);
  const bodies = async () =>
    (await kit.rows("select body from messages order by id")).map((row) => row.body);
  await until(async () => (await bodies()).length === 3);
  assert.deepEqual(await bodies(), ["a\ufffdb", "c\ufffdd", "x".repeat(5_000)]);
  await until(
    async () =>
      (await kit.rows("select 1 from carrier_inbox where kind = 'inbound' and due_at is not null"))
        .length === 0,
  );
  assert.ok(!lines.some((line) => /could not|failed/.test(line)), lines.join("\n"));
});
