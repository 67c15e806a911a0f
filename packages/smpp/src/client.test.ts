import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { FakeClock } from "../testing/fake-clock.ts";
import { until } from "../testing/until.ts";
import { dialTcp } from "./dial.ts";
import {
  type ClientOptions,
  canonicalId,
  type Delivery,
  type DeliveryReceipt,
  type FieldsOf,
  readReceipt,
  receiptIds,
  receivedText,
  SmppClient,
  textParts,
  tlv,
} from "./index.ts";
import { ACCEPTED, DELIVERED, type IdSpelling, Smsc, type SmscOptions } from "./smsc/index.ts";

/** Shortest delay after a refused bind: two seconds less 20% jitter. */
const REBIND_MS_MIN = 1_600;

interface Stage {
  readonly smsc: Smsc;
  readonly client: SmppClient;
  readonly receipts: DeliveryReceipt[];
  readonly texts: Delivery[];
}

async function connect(
  t: TestContext,
  smscOptions: SmscOptions = {},
  options: Partial<ClientOptions> = {},
): Promise<Stage> {
  const smsc = await Smsc.start({ password: "secret", redeliverMs: 20, ...smscOptions });
  const receipts: DeliveryReceipt[] = [];
  const texts: Delivery[] = [];
  const client = new SmppClient({
    hosts: [{ host: "127.0.0.1", port: smsc.port }],
    systemId: "us",
    password: "secret",
    onDelivery: async (pdu) => {
      const receipt = readReceipt(pdu);
      if (receipt) receipts.push(receipt);
      else texts.push(pdu);
      return 0;
    },
    ...options,
  });
  t.after(async () => {
    await client.stop();
    await smsc.stop();
  });
  client.start();
  await until("the link is up", () => client.state().state === "up");
  return { smsc, client, receipts, texts };
}

function message(to: string, text = "hello"): Partial<FieldsOf<"submit_sm">> {
  return {
    source_addr_ton: 1,
    source_addr_npi: 1,
    source_addr: "14155550100",
    dest_addr_ton: 1,
    dest_addr_npi: 1,
    destination_addr: to,
    registered_delivery: 1,
    short_message: Buffer.from(text),
  };
}

test("a message is accepted and its receipt comes, on one connection or on two", async (t) => {
  for (const bind of ["transceiver", "tx_rx"] as const) {
    const { smsc, client, receipts } = await connect(t, {}, { bind });
    assert.equal(smsc.connections("us").length, bind === "tx_rx" ? 2 : 1);
    const outcome = await client.submit(message("14155552671"), [tlv("user_message_reference", 7)]);
    assert.ok(outcome.kind === "answered" && outcome.status === 0);
    await until("the receipt came", () => receipts.length === 1);
    assert.equal(receipts[0]?.textId, outcome.messageId);
    assert.equal(receipts[0].state, "DELIVRD");
    assert.equal(receipts[0].userMessageReference, 7);
    assert.equal(smsc.journal.taken().length, 1);
  }
});

test("ids are matched in every spelling", async (t) => {
  const forms: [IdSpelling, "as_is" | "hex_dec" | "dec_hex"][] = [
    ["decimal", "as_is"],
    ["hex", "as_is"],
    ["padded", "as_is"],
    ["upper_lower", "as_is"],
    ["hex_dec", "hex_dec"],
    ["dec_hex", "dec_hex"],
  ];
  for (const [idSpelling, form] of forms) {
    for (const carriedBy of ["text", "tlvs", "text_and_tlvs"] as const) {
      const { client, receipts } = await connect(t, {
        idSpelling,
        firstId: 0xfedcba9876543n,
        behave: () => ({ ...ACCEPTED, receipt: { ...DELIVERED, delayMs: 0, carriedBy } }),
      });
      const outcome = await client.submit(message("14155552671"));
      assert.ok(outcome.kind === "answered");
      await until("the receipt came", () => receipts.length === 1);
      const id = canonicalId(outcome.messageId, form, "response");
      const named = receiptIds(receipts[0] as DeliveryReceipt, form);
      assert.ok(named.includes(id), `${idSpelling} in ${carriedBy}: ${id} is not in ${named}`);
    }
  }
});

test("each misbehaviour has its outcome, and the link is up again after it", async (t) => {
  const { smsc, client, receipts } = await connect(
    t,
    {},
    { times: { answerMs: 1_000, leaveMs: 400 }, window: 5 },
  );
  const outcomes: [to: string, kind: string, status?: number][] = [
    ["15005559001", "answered", 0x0b],
    ["15005559005", "answered", 0x08],
    ["15005559012", "answered", 0x08],
    ["15005559010", "unknown"],
    ["15005559013", "unknown"],
    ["15005559014", "unknown"],
    ["15005559015", "unknown"],
  ];
  for (const [to, kind, status] of outcomes) {
    await until("the link is up", () => client.state().state === "up");
    const outcome = await client.submit(message(to));
    assert.equal(outcome.kind, kind, to);
    if (outcome.kind === "answered") assert.equal(outcome.status, status, to);
  }
  await until("the link is up", () => client.state().state === "up");
  for (const [to, count] of [
    ["15005559008", 1],
    ["15005559009", 3],
    ["15005559016", 2],
    ["15005559017", 1],
    ["15005559018", 1],
    ["15005559019", 1],
  ] as const) {
    receipts.length = 0;
    const outcome = await client.submit(message(to));
    assert.equal(outcome.kind, "answered", to);
    await until(`the receipts of ${to} came`, () => receipts.length === count);
    assert.equal(receipts.at(-1)?.state, "DELIVRD");
  }
  assert.equal(smsc.journal.submits().length, outcomes.length + 6, "nothing was sent twice");
});

test("a late response is reported, and keeps its window slot until then", async (t) => {
  const behave = () => ({ ...ACCEPTED, answerDelayMs: 800 });
  // The bind must be answered within answerMs, on a busy machine too.
  const { smsc, client } = await connect(t, { behave }, { times: { answerMs: 400 }, window: 2 });
  const outcomes = await Promise.all(
    Array.from({ length: 6 }, (_, index) => client.submit(message(`1415555000${index}`))),
  );
  for (const outcome of outcomes) {
    assert.ok(outcome.kind === "unknown");
    assert.equal((await outcome.late)?.status, 0);
  }
  assert.equal(smsc.journal.mostOutstanding(), 2);
});

test("a throttled link pauses and loses nothing", async (t) => {
  const { client, smsc } = await connect(t);
  const first = await client.submit(message("15005559002"));
  assert.ok(first.kind === "answered" && first.status === 0x58);
  const again = await client.submit(message("15005559002"));
  assert.ok(again.kind === "answered" && again.status === 0);
  const [before = 0, after = 0] = smsc.journal.submits().map(({ atMs }) => atMs);
  assert.ok(after - before > 500, `the next came after ${after - before} ms`);
  assert.equal(smsc.journal.taken().length, 1);
});

test("the client keeps the rate and the window under load, and bounds its queue", async (t) => {
  const { client, smsc } = await connect(t, {}, { ratePerSecond: 400, window: 4, queueMax: 200 });
  const begun = performance.now();
  const outcomes = await Promise.all(
    Array.from({ length: 300 }, (_, index) => client.submit(message(`1415555${1_000 + index}`))),
  );
  const seconds = (performance.now() - begun) / 1_000;
  const sent = outcomes.filter((outcome) => outcome.kind === "answered").length;
  const refused = outcomes.filter((outcome) => outcome.kind === "not_sent").length;
  assert.equal(sent + refused, 300);
  assert.ok(refused > 50, "what the queue cannot hold is refused at once");
  assert.ok(sent / seconds < 520, `${sent / seconds} a second`);
  assert.ok(smsc.journal.mostOutstanding() <= 4);
  assert.equal(smsc.journal.taken().length, sent);
});

test("the client rebinds after an SMSC restart, and to the second host when the first is gone", async (t) => {
  const other = await Smsc.start({ password: "secret" });
  t.after(() => other.stop());
  const first = await Smsc.start({ password: "secret" });
  const client = new SmppClient({
    hosts: [
      { host: "127.0.0.1", port: first.port },
      { host: "127.0.0.1", port: other.port },
    ],
    systemId: "us",
    password: "secret",
    onDelivery: async () => 0,
  });
  t.after(() => client.stop());
  client.start();
  await until("the link is up", () => client.state().state === "up");
  assert.equal(first.connections("us").length, 1);
  await first.stop();
  await until("the other has it", () => other.connections("us").length === 1, 5_000);
  await until("the link is up", () => client.state().state === "up");
  assert.match(client.state().lastError ?? "", /127\.0\.0\.1:\d+: The /);
});

test("a wrong password backs off and is reported", async (t) => {
  const smsc = await Smsc.start({ password: "secret" });
  const clock = new FakeClock();
  let dials = 0;
  const client = new SmppClient({
    hosts: [{ host: "127.0.0.1", port: smsc.port }],
    systemId: "us",
    password: "wrong",
    onDelivery: async () => 0,
    clock,
    random: () => 0,
    dial: (host) => {
      dials += 1;
      return dialTcp(host);
    },
  });
  t.after(async () => {
    await client.stop();
    await smsc.stop();
  });
  client.start();
  await until("it was refused", () => client.state().lastError !== null);
  assert.match(client.state().lastError ?? "", /ESME_RINVPASWD/);
  await clock.pass(REBIND_MS_MIN - 1);
  assert.equal(dials, 1);
  await clock.pass(1);
  assert.equal(dials, 2);
  const binds = () => smsc.journal.entries.filter((entry) => entry.kind === "bind");
  await until("it was refused again", () => binds().length === 2);
});

test("an undelivered message is redelivered until accepted, whole and with its parts in order", async (t) => {
  const refusals = [0x08, 0x14];
  const texts: Delivery[] = [];
  const { smsc } = await connect(
    t,
    {},
    {
      onDelivery: async (pdu) => {
        const refusal = refusals.shift();
        if (refusal !== undefined) return refusal;
        texts.push(pdu);
        return 0;
      },
    },
  );
  const text = `Grüße ${"漢字😀".repeat(60)}`;
  for (const longText of ["udh", "sar", "payload"] as const) {
    texts.length = 0;
    const statuses = await smsc.sendText({
      systemId: "us",
      from: "14155552671",
      to: "14155550100",
      text,
      longText,
    });
    assert.ok(statuses.every((status) => status === 0));
    const parts = texts.map((pdu) => receivedText(pdu, { alphabet: "gsm7", isPacked: false }));
    const sorted = parts
      .filter((part) => part.kind === "text")
      .sort((a, b) => (a.part?.number ?? 0) - (b.part?.number ?? 0));
    assert.equal(sorted.map((part) => part.text).join(""), text);
    assert.equal(sorted.length, longText === "payload" ? 1 : 4);
  }
});

test("deliveries wait while no receiver is bound, and stopping waits for responses", async (t) => {
  const { smsc, client } = await connect(t, {
    behave: () => ({ ...ACCEPTED, answerDelayMs: 100, receipt: null }),
  });
  const out = client.submit(message("14155552671"));
  await until("it is out", () => client.state().inFlight === 1);
  await client.stop();
  const outcome = await out;
  assert.equal(outcome.kind, "answered", "the answer was waited for");
  assert.equal((await client.submit(message("14155552671"))).kind, "not_sent");
  const sending = smsc.sendText({ systemId: "us", from: "1", to: "2", text: "later" });
  await until("it waits", () => smsc.undelivered === 1);
  const taken: Delivery[] = [];
  const next = new SmppClient({
    hosts: [{ host: "127.0.0.1", port: smsc.port }],
    systemId: "us",
    password: "secret",
    onDelivery: async (pdu) => {
      taken.push(pdu);
      return 0;
    },
  });
  t.after(() => next.stop());
  next.start();
  assert.deepEqual(await sending, [0]);
  assert.equal(taken.length, 1);
});

test("a long message arrives unchanged by udh, sar and message_payload", async (t) => {
  const { smsc, client } = await connect(t);
  const text = `${"Ein {langer} Text mit € und [Klammern]. ".repeat(12)}`;
  for (const longText of ["udh", "sar", "payload"] as const) {
    const before = smsc.journal.taken().length;
    const parts = textParts(text, { alphabet: "gsm7", isPacked: false, longText, reference: 77 });
    for (const part of parts) {
      const outcome = await client.submit({ ...message("14155552671"), ...part.fields }, part.tlvs);
      assert.ok(outcome.kind === "answered" && outcome.status === 0);
    }
    const arrived = smsc.journal
      .taken()
      .slice(before)
      .map((entry) => entry.text);
    assert.equal(arrived.join(""), text);
  }
});
