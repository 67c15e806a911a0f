import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, beforeEach, describe, it } from "node:test";
import { giveNumber } from "../../../../testing/give-number.ts";
import { type Kit, type Lifetime, startKit } from "../../../../testing/kit.ts";
import { goLive } from "../../../../testing/live.ts";
import { carriersFile, writeCarriers } from "../../../../testing/smpp-stage.ts";
import { until } from "../../../../testing/until.ts";
import { createOutgoing } from "../../../core/platform/outgoing/index.ts";
import type { CallbackKind, InboundMessage, Receipt } from "../carrier.ts";
import { FieldCheck } from "../check-fields.ts";
import type { Kept } from "../kept-callbacks.ts";
import { createAuthorizer } from "./auth.ts";
import { HttpCallbacks } from "./callbacks.ts";
import { Poller } from "./poll.ts";
import { type PollOptions, readPolling } from "./poll-config.ts";

const FROM = "+14155550100";
const MINUTE_MS = 60_000;
const INBOUND = { list: "items", id: "id", from: "from", to: "to", body: "body" };

interface Listed {
  readonly id: string;
  readonly body?: string;
  readonly at?: string;
  readonly status?: string;
}

/** A list of three items a page at this machine, and a poller of it. */
describe("polling a carrier", () => {
  let kit: Kit;
  let origin = "";
  let items: Listed[] = [];
  let asked: URLSearchParams[] = [];
  let headers: (string | undefined)[] = [];
  let failAt: { page: number; status: number } | null = null;
  let nextOrigin = "";
  let stored: string[] = [];
  let kept: Kept[] = [];
  let carriers = 0;
  const takeDowns: (() => Promise<void>)[] = [];
  const lifetime: Lifetime = { after: (takeDown) => void takeDowns.push(takeDown) };

  before(async () => {
    kit = await startKit(lifetime, {});
    const server = createServer((request, response) => {
      const { searchParams } = new URL(request.url ?? "", "http://list");
      asked.push(searchParams);
      headers.push(request.headers.authorization, request.headers["x-api-key"] as string);
      const page = Number(searchParams.get("page") ?? 0);
      if (failAt?.page === page) {
        response.writeHead(failAt.status).end();
        return;
      }
      const first = Number(searchParams.get("offset") ?? page * 3);
      const listed = items.slice(first, first + 3).map((item) => ({ from: "1", to: "2", ...item }));
      const next = items.length > first + 3 ? `${nextOrigin}/list?page=${page + 1}` : null;
      response.writeHead(200).end(JSON.stringify({ items: listed, next }));
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    lifetime.after(async () => void server.close());
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(async () => {
    for (const takeDown of takeDowns.reverse()) await takeDown();
  });
  beforeEach(() => {
    [items, asked, headers, stored, kept] = [[], [], [], [], []];
    [failAt, nextOrigin] = [null, ""];
    carriers += 1;
  });

  const read = (poll: object): PollOptions => {
    const check = new FieldCheck({ poll: { every_seconds: 1, ...poll } }, "entry");
    const options = readPolling(check, {}, true);
    assert.deepEqual(check.problems, []);
    assert.ok(options);
    return { ...options, everyMs: 0 };
  };
  const pollerOf = (poll: object): Poller => {
    const polling = read(poll);
    const outgoing = createOutgoing({
      now: kit.deps.clock.monotonic,
      userAgent: "test",
      allowTargets: [],
      checkAddress: () => null,
    });
    const signal = new AbortController().signal;
    const auth = { type: "header", value: "Bearer key" } as const;
    const callbacks = (kind: CallbackKind) =>
      new HttpCallbacks(
        kit.deps,
        { name: "polled", numbers: "*" },
        {
          secret: "",
          signatures: [],
          receipts: kind === "receipts" ? (polling.receipts?.paths ?? null) : null,
          inbound: kind === "inbound" ? (polling.inbound?.paths ?? null) : null,
        },
        () => null,
      );
    return new Poller(kit.deps, {
      carrier: `polled-${carriers}`,
      polling,
      outgoing: plain(outgoing),
      authorizer: createAuthorizer(auth, { clock: kit.deps.clock, outgoing, signal }),
      headers: ["x-api-key", "second"],
      read: (contents) => callbacks(contents.kind).read(contents),
      store: async (_kind, given) => void stored.push(...given.map(shown)),
      keep: async (given) => void kept.push(...given),
    });
  };
  /** The test's list is plain HTTP, as that of a carrier with a private address. */
  const plain = (outgoing: ReturnType<typeof createOutgoing>): typeof outgoing => ({
    ...outgoing,
    request: (request) => outgoing.request({ ...request, plainHttp: true }),
  });
  const shown = (one: Receipt | InboundMessage) =>
    "state" in one ? `${one.reference} ${one.state}` : `${one.reference} ${one.body}`;
  const inbound = (more: object = {}) => ({
    inbound: { url: `${origin}/list`, pages: { next: "next" }, ...INBOUND, ...more },
  });
  const listOf = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ id: `m${index}`, body: "hi" }));
  const rows = () =>
    kit.rows(
      `select page, round_since, complete_until, last_error from carrier_polls
        where carrier = $1 order by kind`,
      [`polled-${carriers}`],
    );

  it("reads every page, with the credentials, and stores an item once", async () => {
    items = listOf(7);
    const poller = pollerOf(inbound());
    await poller.tick();
    assert.deepEqual(
      stored,
      items.map(({ id }) => `${id} hi`),
    );
    assert.equal(asked.length, 3);
    assert.deepEqual(headers.slice(0, 2), ["Bearer key", "second"]);
    items = [{ id: "m7", body: "new" }, ...items];
    await poller.tick();
    assert.deepEqual(stored.slice(7), ["m7 new"]);
    assert.equal((await rows())[0].page, null);
  });

  it("stores a receipt again when its status has changed", async () => {
    const statuses = { sent: "intermediate" };
    const list = { url: `${origin}/list`, list: "items", id: "id", status: "status", statuses };
    const poller = pollerOf({ receipts: list });
    items = [{ id: "m1", status: "sent" }];
    await poller.tick();
    await poller.tick();
    items = [{ id: "m1", status: "delivered" }];
    await poller.tick();
    assert.deepEqual(stored, ["m1 intermediate", "m1 delivered"]);
  });

  it("continues at the page where the process before stopped, with the same begin", async () => {
    items = listOf(7);
    failAt = { page: 1, status: 503 };
    const query = { since: "{{since}}" };
    await pollerOf(inbound({ query })).tick();
    assert.equal(stored.length, 3);
    const [{ page, round_since, last_error }] = await rows();
    assert.match(page, /\?page=1$/);
    assert.equal(last_error, "The carrier answered http:503.");
    failAt = null;
    await pollerOf(inbound({ query })).tick();
    assert.deepEqual(
      stored.slice(3),
      items.slice(3).map(({ id }) => `${id} hi`),
    );
    assert.equal(asked.at(-1)?.get("page"), "2");
    assert.ok(round_since);
    const [after] = await rows();
    assert.deepEqual([after.page, after.round_since, after.last_error], [null, null, null]);
  });

  it("begins anew when a page's address is no longer known", async () => {
    items = listOf(4);
    failAt = { page: 1, status: 410 };
    const poller = pollerOf(inbound());
    await poller.tick();
    assert.equal((await rows())[0].page, null);
    failAt = null;
    await poller.tick();
    assert.deepEqual(stored, ["m0 hi", "m1 hi", "m2 hi", "m3 hi"]);
  });

  it("asks for inbound messages since shortly before the latest whole round", async () => {
    const poller = pollerOf(inbound({ query: { since: "{{since}}", s: "{{since_seconds}}" } }));
    await poller.tick();
    const untilMs = Date.now() - 3 * MINUTE_MS;
    await kit.rows("update carrier_polls set complete_until = $1 where carrier = $2", [
      new Date(untilMs),
      `polled-${carriers}`,
    ]);
    await poller.tick();
    const [first, second] = asked.map((query) => Number(query.get("s")) * 1_000);
    assert.ok(first !== undefined && second !== undefined);
    assert.equal(second, Math.floor((untilMs - 10 * MINUTE_MS) / 1_000) * 1_000);
    assert.equal(Date.parse(asked[1]?.get("since") ?? ""), second);
    assert.ok(first > second);
  });

  it("counts pages and items where the list has no links", async () => {
    items = listOf(5);
    await pollerOf(inbound({ pages: { query: "page", first: 0 } })).tick();
    assert.deepEqual(
      asked.map((query) => query.get("page")),
      ["0", "1", "2"],
    );
    carriers += 1;
    asked = [];
    await pollerOf(inbound({ pages: { query: "offset", by: "offset" } })).tick();
    assert.deepEqual(
      asked.map((query) => query.get("offset")),
      ["0", "3", "5"],
    );
    assert.equal(stored.length, 10);
  });

  it("ends at the first item before the begin, where the list takes none", async () => {
    const at = (minutes: number) => new Date(Date.now() - minutes * MINUTE_MS).toISOString();
    items = [1, 2, 60, 61, 62].map((minutes) => ({
      id: `m${minutes}`,
      body: "hi",
      at: at(minutes),
    }));
    await pollerOf(inbound({ at: "at" })).tick();
    assert.deepEqual(stored, ["m1 hi", "m2 hi"]);
    assert.equal(asked.length, 1);
  });

  it("sends the credentials to no other origin", async () => {
    items = listOf(4);
    nextOrigin = "http://127.0.0.1:9";
    await pollerOf(inbound()).tick();
    assert.equal(stored.length, 3);
    assert.equal((await rows())[0].last_error, null);
  });

  it("keeps an item that cannot be read, once", async () => {
    const unreadable = { id: "m2", body: "two", from: "" };
    items = [{ id: "m1", body: "one" }, unreadable as Listed];
    const poller = pollerOf(inbound());
    await poller.tick();
    await poller.tick();
    assert.deepEqual(stored, ["m1 one"]);
    const [one, ...others] = kept;
    assert.deepEqual([one?.kind, one?.isItem, others.length], ["inbound", true, 0]);
    assert.deepEqual(JSON.parse(String(one?.body)), { to: "2", ...unreadable });
    assert.match(one?.reason ?? "", /no from/);
  });

  it("shows what failed, and reads a kept item again after a change of the declaration", async (t) => {
    items = [{ id: "m1", body: "Yes", from: "+14155552671", to: FROM } as Listed];
    const entry = (from: string) => ({
      name: "polled",
      type: "http",
      url: `${origin}/send`,
      private_address: true,
      numbers: [FROM],
      body: { to: "{{to}}", text: "{{body}}" },
      poll: { every_seconds: 1, ...inbound({ from }) },
    });
    const file = await carriersFile(t, [entry("sender")]);
    const server = await startKit(t, { LONGWAVE_CARRIERS: file });
    await goLive(server);
    await giveNumber(server, { phone: FROM, mode: "live", senderState: "active" });
    const path = "/carriers/polled/kept_callbacks";
    const keptRows = async () => (await server.operator("GET", path)).body.data;
    await until(async () => (await keptRows()).length > 0);
    const [one] = await keptRows();
    assert.deepEqual([one.kind, one.is_item, one.carrier], ["inbound", true, "polled"]);
    const shown = async () => (await server.operator("GET", "/carriers")).body.data[0].poll;
    await until(async () => (await shown()).polled_at !== null);
    assert.equal((await shown()).last_error, null);
    failAt = { page: 0, status: 501 };
    await until(async () => (await shown()).last_error !== null);
    assert.equal((await shown()).last_error, "inbound: The carrier answered http:501.");
    failAt = null;
    const named = one.matches.map((match: { field: string; path: string }) => [
      match.field,
      match.path,
    ]);
    assert.ok(named.some(([field, at]: string[]) => field === "inbound.from" && at === "from"));
    const replay = async () => (await server.operator("POST", `${path}/replay`)).body;
    assert.equal((await replay()).unread.length, 1);
    await writeCarriers(file, [entry("from")]);
    assert.equal((await server.operator("POST", "/carriers/reload")).status, 200);
    assert.equal((await replay()).read, 1);
    const read = async () =>
      (await server.request("GET", "/v1/messages?direction=inbound", { key: server.liveKey })).body;
    await until(async () => (await read()).data.length > 0);
    assert.deepEqual(await keptRows(), []);
  });
});
