import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { STATUSES } from "@longwave/smpp";
import { ACCEPTED, type Behaviour, DELIVERED, Smsc, type SmscOptions } from "@longwave/smpp/smsc";
import { giveNumber } from "../../../../testing/give-number.ts";
import { type Kit, type Lifetime, startKit } from "../../../../testing/kit.ts";
import { goLive } from "../../../../testing/live.ts";
import { carriersFile, smppEntry } from "../../../../testing/smpp-stage.ts";
import { until } from "../../../../testing/until.ts";

const PHONE = "+14155552671";
const LONG = `Grüße {€} ${"漢字😀".repeat(40)}`;
const quiet = (): Behaviour => ({ ...ACCEPTED, receipt: null });
const SILENT = "+14155550093";

/** Each carrier has its own number and entry, and an SMSC with matching quirks. */
const QUIRKS: Readonly<Record<string, { entry: object; smsc?: SmscOptions }>> = {
  latin1: {
    entry: { alphabet: "latin1" },
    smsc: { charset: { alphabet: "latin1", isPacked: false } },
  },
  ascii: {
    entry: { alphabet: "ascii" },
    smsc: { charset: { alphabet: "ascii", isPacked: false } },
  },
  packed: { entry: { gsm7_packed: true }, smsc: { charset: { alphabet: "gsm7", isPacked: true } } },
  wide: { entry: { wide_references: true } },
  sar: { entry: { long_messages: "sar" } },
  payload: { entry: { long_messages: "payload" } },
  pair: { entry: { bind: "tx_rx" } },
  texts: { entry: { receipts_by_text: true } },
  rated: { entry: { rate: 10, window: 50 } },
  codes: {
    entry: { statuses: { "0x08": "permanent", "0x65": "temporary" } },
    smsc: {
      behave: ({ text }) => ({
        ...ACCEPTED,
        answer: "refuse",
        status: text === "a" ? STATUSES.ESME_RSYSERR.code : STATUSES.ESME_RX_P_APPN.code,
        receipt: null,
      }),
    },
  },
  states: {
    entry: {},
    smsc: {
      behave: ({ pdu, text }) => {
        if (`+${pdu.fields.destination_addr}` === SILENT) return { ...quiet(), answer: "none" };
        return { ...ACCEPTED, receipt: { ...DELIVERED, stat: text as "DELIVRD", error: "007" } };
      },
    },
  },
};

describe("SMPP quirks of the carriers file", () => {
  let kit: Kit;
  const smscs = new Map<string, Smsc>();
  const takeDowns: (() => Promise<void>)[] = [];
  const lifetime: Lifetime = { after: (takeDown) => void takeDowns.push(takeDown) };
  const names = Object.keys(QUIRKS);
  const fromOf = (name: string) => `+14155550${100 + names.indexOf(name)}`;

  before(async () => {
    const entries: object[] = [];
    for (const name of names) {
      const { entry, smsc: options } = QUIRKS[name] ?? { entry: {} };
      const smsc = await Smsc.start({
        password: "secret",
        redeliverMs: 50,
        behave: quiet,
        ...options,
      });
      smscs.set(name, smsc);
      lifetime.after(() => smsc.stop());
      entries.push(smppEntry(smsc, { name, numbers: [fromOf(name)], ...entry }));
    }
    kit = await startKit(lifetime, { LONGWAVE_CARRIERS: await carriersFile(lifetime, entries) });
    await goLive(kit, 100);
    for (const name of names) {
      await giveNumber(kit, { phone: fromOf(name), mode: "live", senderState: "active" });
    }
  });
  after(async () => {
    for (const takeDown of takeDowns.reverse()) await takeDown();
  });

  const smscOf = (name: string) => smscs.get(name) as Smsc;
  const send = (name: string, body: string, to = PHONE) =>
    kit.request("POST", "/v1/messages", {
      key: kit.liveKey,
      body: { to, from: fromOf(name), body },
    });
  const read = async (id: string) => (await kit.request("GET", `/v1/messages/${id}`)).body;
  /** Submits that the SMSC received for one message. */
  const taken = async (name: string, body: string) => {
    const begun = smscOf(name).journal.taken().length;
    const sent = await send(name, body);
    assert.equal(sent.status, 201, JSON.stringify(sent.body));
    return smscOf(name).journal.taken().slice(begun);
  };
  const inboundFrom = async (from: string): Promise<string[]> => {
    const path = `/v1/messages?direction=inbound&from=${encodeURIComponent(from)}`;
    const { body } = await kit.request("GET", path);
    return body.data.map((message: { body: string }) => message.body);
  };

  it("data_coding 0 is the declared alphabet in both directions; other characters go as UCS-2", async () => {
    const cases: [name: string, text: string, dataCoding: number][] = [
      ["latin1", "é ÿ", 0],
      ["latin1", "5 €", 8],
      ["ascii", "plain ~", 0],
      ["ascii", "é", 8],
      ["packed", "Hello {€} @£", 0],
      ["packed", "漢", 8],
    ];
    for (const [name, text, dataCoding] of cases) {
      const [one, ...more] = await taken(name, text);
      assert.deepEqual([one?.text, one?.dataCoding, more.length], [text, dataCoding, 0], name);
    }
    for (const [index, [name, text]] of [
      ["latin1", "é ÿ ¦"],
      ["packed", "{€} back"],
    ].entries()) {
      const from = `+1415555810${index}`;
      const parts = await smscOf(name as string).sendText({
        systemId: "us",
        from: from.slice(1),
        to: fromOf(name as string).slice(1),
        text: text as string,
      });
      assert.deepEqual(parts, [0]);
      await until(async () => (await inboundFrom(from)).length === 1);
      assert.deepEqual(await inboundFrom(from), [text]);
    }
  });

  it("long messages go by header, by parameters or whole, and arrive unchanged", async () => {
    for (const [name, parts, esmClass] of [
      ["wide", 3, 0x40],
      ["sar", 3, 0],
      ["payload", 1, 0],
      ["packed", 3, 0x40],
    ] as const) {
      const all = await taken(name, LONG);
      assert.equal(all.map((part) => part.text).join(""), LONG, name);
      assert.equal(all.length, parts, name);
      assert.ok(
        all.every((part) => (part.esmClass & 0x40) === esmClass),
        name,
      );
    }
  });

  it("a pair of connections is one bind", async () => {
    await taken("pair", "Hello");
    assert.equal(smscOf("pair").connections("us").length, 2);
    const { body } = await kit.operator("GET", "/carriers");
    const { binds } = body.data.find((one: { name: string }) => one.name === "pair");
    assert.deepEqual(
      binds.map((bind: { state: string }) => bind.state),
      ["up"],
    );
  });

  it("receipts with esm_class 0 are receipts where the file says so, else messages", async () => {
    const receipt = (id: string | null) => ({
      fields: {
        source_addr: PHONE.slice(1),
        destination_addr: fromOf("texts").slice(1),
        short_message: Buffer.from(
          `id:${id} sub:001 dlvrd:001 submit date:2611160700 done date:2611160701 stat:DELIVRD err:000 text:Hello`,
        ),
      },
      tlvs: [],
    });
    const begun = smscOf("texts").journal.taken().length;
    const sent = await send("texts", "Hello");
    const id = smscOf("texts").journal.taken()[begun]?.messageId ?? null;
    assert.equal(await smscOf("texts").deliver("us", PHONE, receipt(id)), 0);
    await until(async () => (await read(sent.body.id)).status === "delivered");
    const other = receipt("77");
    other.fields.source_addr = "14155558120";
    other.fields.destination_addr = fromOf("wide").slice(1);
    assert.equal(await smscOf("wide").deliver("us", PHONE, other), 0);
    await until(async () => (await inboundFrom("+14155558120")).length === 1);
  });

  it("a receipt is never matched by its addresses", async () => {
    const sent = await send("wide", "Hello");
    const addressed = {
      fields: {
        esm_class: 4,
        source_addr: PHONE.slice(1),
        destination_addr: fromOf("wide").slice(1),
        short_message: Buffer.from("id:999999 stat:UNDELIV err:001 text:Hello"),
      },
      tlvs: [],
    };
    assert.equal(await smscOf("wide").deliver("us", PHONE, addressed), 0);
    await kit.advance(5);
    assert.equal((await read(sent.body.id)).status, "sent");
  });

  it("statuses mean what the file says", async () => {
    const refused = await send("codes", "a");
    assert.equal(refused.status, 502, "0x08 is for good here");
    const { failure } = await read(refused.body.message_id);
    assert.deepEqual([failure.code, failure.carrier_code], ["carrier_rejected", "smpp:0x00000008"]);
    assert.equal((await send("codes", "b")).status, 202, "0x65 is for now here");
  });

  it("each receipt state has its meaning, and only final states settle the message", async () => {
    const states: [stat: string, status: string, code: string | null][] = [
      ["DELIVRD", "delivered", null],
      ["UNDELIV", "failed", "unreachable"],
      ["EXPIRED", "failed", "expired"],
      ["REJECTD", "failed", "carrier_rejected"],
      ["DELETED", "failed", "carrier_rejected"],
      ["ENROUTE", "sent", null],
      ["ACCEPTD", "sent", null],
      ["UNKNOWN", "sent", null],
    ];
    const sent = [];
    for (const [stat] of states) sent.push((await send("states", stat)).body.id);
    await until(() => smscOf("states").undelivered === 0);
    await kit.advance(5);
    for (const [index, [stat, status, code]] of states.entries()) {
      const message = await read(sent[index]);
      assert.equal(message.status, status, stat);
      assert.equal(message.failure?.code ?? null, code, stat);
      const carrierCode = code === null ? null : `dlr:${stat}:007`;
      assert.equal(message.failure?.carrier_code ?? null, carrierCode, stat);
      const { entries } = (await kit.request("GET", `/v1/messages/${sent[index]}/timeline`)).body;
      assert.ok(
        entries.some((entry: { step: string }) => entry.step === "receipt"),
        `the timeline shows ${stat}`,
      );
    }
  });

  it("an unanswered submit does not block a clock advance", async () => {
    const sent = await send("states", "DELIVRD", SILENT);
    assert.equal(sent.status, 202);
    const begunMs = performance.now();
    await kit.advance(5);
    assert.ok(performance.now() - begunMs < 10_000, "its answer is waited for 60 s");
    // Otherwise the stop waits for its answer up to the deadline.
    smscOf("states").resetLines();
  });

  it("the rate limit counts parts", async () => {
    const begun = smscOf("rated").journal.taken().length;
    const answers = await Promise.all([1, 2, 3, 4].map((n) => send("rated", `${n}${LONG}`)));
    assert.ok(answers.every((answer) => answer.status === 201));
    const times = smscOf("rated")
      .journal.taken()
      .slice(begun)
      .map((part) => part.atMs);
    assert.equal(times.length, 12);
    // One leaves immediately, each of the others a tenth of a second later.
    assert.ok(Math.max(...times) - Math.min(...times) >= 900, times.join());
  });
});
