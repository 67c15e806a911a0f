import assert from "node:assert/strict";
import test, { after, before, describe, it } from "node:test";
import { STATUSES, textParts } from "@longwave/smpp";
import {
  ACCEPTED,
  type Behaviour,
  DELIVERED,
  type ReceivedSubmit,
  scriptedBehaviour,
} from "@longwave/smpp/smsc";
import { giveNumber } from "../../../../testing/give-number.ts";
import type { Lifetime } from "../../../../testing/kit.ts";
import { SMPP_FROM, type SmppStage, startSmppStage } from "../../../../testing/smpp-stage.ts";
import { until } from "../../../../testing/until.ts";
import { toApiId } from "../../../core/platform/ids.ts";
import { createLog } from "../../../core/platform/log.ts";

const PHONE = "+14155552671";
/** A phone whose receipts the test sends. */
const UNTOLD = "+14155552679";
/** A phone for which the SMSC refuses submits for now, by their number. */
const HALF_REFUSED = "+14155552678";
/** A phone for which the SMSC accepts the first part alone. */
const FIRST_PART_ONLY = "+14155552677";
const LONG = `Grüße {€} ${"漢字😀".repeat(40)}`;

describe("SMPP carrier", () => {
  let stage: SmppStage;
  const takeDowns: (() => Promise<void>)[] = [];
  const lifetime: Lifetime = { after: (takeDown) => void takeDowns.push(takeDown) };
  const refusals = new Map<string, readonly number[]>();
  before(async () => {
    stage = await startSmppStage(lifetime, {
      behave: (submit) => {
        const phone = `+${submit.pdu.fields.destination_addr}`;
        const status = STATUSES.ESME_RSYSERR.code;
        if (refusals.get(phone)?.includes(submit.earlier)) {
          return { ...ACCEPTED, answer: "refuse", status, receipt: null };
        }
        return phone === UNTOLD ? { ...ACCEPTED, receipt: null } : scriptedBehaviour(submit);
      },
    });
  });
  after(async () => {
    for (const takeDown of takeDowns.reverse()) await takeDown();
  });

  it("a long message leaves in parts, and is delivered when all parts are", async () => {
    const { smsc, send, read, kit } = stage;
    const begun = smsc.journal.taken().length;
    const taken = () => smsc.journal.taken().slice(begun);
    const answer = await send(UNTOLD, LONG);
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    const parts = taken();
    assert.equal(parts.map((part) => part.text).join(""), LONG);
    assert.equal(parts.length, 3);
    assert.ok(parts.every((part) => part.registeredDelivery === 1 && part.validityPeriod !== ""));
    assert.equal(new Set(parts.map((part) => part.userMessageReference)).size, 3);
    const receipt = (id: string | null, stat: string) =>
      smsc.deliver("us", UNTOLD, {
        fields: { esm_class: 4, short_message: Buffer.from(`id:${id} stat:${stat} err:000`) },
        tlvs: [],
      });
    for (const part of parts.slice(0, 2)) await receipt(part.messageId, "DELIVRD");
    await receipt(parts[0]?.messageId ?? null, "DELIVRD");
    await kit.advance(5);
    assert.equal((await read(answer.body.id)).status, "sent");
    await receipt(parts[2]?.messageId ?? null, "DELIVRD");
    await until(async () => (await read(answer.body.id)).status === "delivered");
    const other = await send(UNTOLD, LONG);
    const [, second] = taken().slice(3);
    await receipt(second?.messageId ?? null, "UNDELIV");
    await until(async () => (await read(other.body.id)).status === "failed");
    const { failure } = await read(other.body.id);
    assert.equal(failure.code, "unreachable");
    assert.equal(failure.carrier_code, "dlr:UNDELIV:000");
  });

  it("a part that is refused for now is submitted again under the same reference", async () => {
    const { smsc, send, read } = stage;
    const begun = smsc.journal.taken().length;
    refusals.set(HALF_REFUSED, [1, 2]);
    const answer = await send(HALF_REFUSED, LONG);
    await until(async () => (await read(answer.body.id)).sent_at !== null, 20_000);
    const parts = smsc.journal.taken().slice(begun);
    assert.equal(parts.map((part) => part.text).join(""), LONG);
    assert.equal(new Set(parts.map((part) => part.userMessageReference)).size, 3);
    const rows = await stage.kit.rows("select attempts from messages where to_number = $1", [
      HALF_REFUSED,
    ]);
    assert.deepEqual(rows, [{ attempts: 1 }]);
  });

  it("a part that is refused until the validity ends fails the message with the carrier's code", async () => {
    const { smsc, kit, read } = stage;
    refusals.set(
      FIRST_PART_ONLY,
      Array.from({ length: 100 }, (_, index) => index + 1),
    );
    const parts = () => {
      const to = FIRST_PART_ONLY.slice(1);
      return smsc.journal.submits().filter((submit) => submit.to === to);
    };
    const sending = kit.request("POST", "/v1/messages", {
      key: kit.liveKey,
      body: { to: FIRST_PART_ONLY, from: SMPP_FROM, body: LONG, valid_for: 60 },
    });
    await until(() => parts().length > 1);
    await kit.advance(61);
    const { body } = await sending;
    const id = body.id ?? body.message_id;
    await until(async () => (await read(id)).status === "failed");
    const { failure } = await read(id);
    assert.deepEqual(
      [failure.code, failure.carrier_code],
      ["carrier_unavailable", "smpp:0x00000008"],
    );
    // The first part is delivered, which says nothing about the message.
    assert.equal(parts().filter((part) => part.messageId !== null).length, 1);
    assert.equal(new Set(parts().map((part) => part.userMessageReference)).size, 2);
  });

  it("a long message from a phone is one message, whatever the order of its parts", async () => {
    const { smsc, kit } = stage;
    const bodies = async () => {
      const path = `/v1/messages?direction=inbound&from=${encodeURIComponent(PHONE)}`;
      const { body } = await kit.request("GET", path);
      return body.data.map((message: { body: string }) => message.body);
    };
    const partsOf = (text: string, longText: "udh" | "sar", reference: number) =>
      textParts(text, { alphabet: "gsm7", isPacked: false, longText, reference }).map((part) => ({
        fields: {
          source_addr: PHONE.slice(1),
          destination_addr: SMPP_FROM.slice(1),
          ...part.fields,
        },
        tlvs: part.tlvs,
      }));
    for (const [longText, reference] of [
      ["udh", 40],
      ["sar", 42],
    ] as const) {
      const before = (await bodies()).length;
      for (const part of partsOf(LONG, longText, reference).reverse()) {
        assert.equal(await smsc.deliver("us", PHONE, part), 0);
      }
      await until(async () => (await bodies()).length === before + 1);
      assert.ok((await bodies()).includes(LONG));
    }
    // One part never arrives. Other messages of this phone are not delayed.
    const [first, , third] = partsOf(`Only ${LONG}`, "udh", 41);
    assert.ok(first && third);
    for (const part of [third, first]) await smsc.deliver("us", PHONE, part);
    await smsc.sendText({ systemId: "us", from: PHONE, to: SMPP_FROM, text: "and this" });
    await until(async () => (await bodies()).includes("and this"));
    assert.equal((await bodies()).length, 3);
    await kit.advance(3_400);
    assert.equal((await bodies()).length, 3, "it may still come");
    await kit.advance(200);
    await until(async () => (await bodies()).length === 4);
    // Six header octets name the part; the rest is UCS-2.
    const [beginning, end] = [first, third].map(({ fields }) =>
      Buffer.from(fields.short_message.subarray(6)).swap16().toString("utf16le"),
    );
    assert.ok((await bodies()).includes(`${beginning}${end}`), "what came of it, in its order");
  });

  it("refusals, nacks and failed receipts keep the carrier's codes", async () => {
    const { send, read } = stage;
    const refused = await send("+15005559001");
    assert.equal(refused.status, 502);
    const failed = await read(refused.body.message_id);
    assert.equal(failed.failure.code, "invalid_number");
    assert.equal(failed.failure.carrier_code, "smpp:0x0000000b");
    const nacked = await send("+15005559012");
    assert.equal(nacked.status, 202, "a generic_nack refuses for now");
    const codes: [to: string, failure: string, code: string][] = [
      ["+15005559006", "unreachable", "dlr:UNDELIV:005"],
      ["+15005559020", "expired", "dlr:EXPIRED:010"],
      ["+15005559021", "carrier_rejected", "dlr:REJECTD:088"],
    ];
    for (const [to, failure, code] of codes) {
      const sent = await send(to);
      assert.equal(sent.status, 201);
      await until(async () => (await read(sent.body.id)).status === "failed");
      const message = await read(sent.body.id);
      assert.deepEqual([message.failure.code, message.failure.carrier_code], [failure, code]);
    }
    const intermediate = await send("+15005559016");
    await until(async () => (await read(intermediate.body.id)).status === "delivered");
  });

  it("a sandbox message to the account's own verified phone leaves free of charge; one to another phone does not leave", async () => {
    const { smsc, kit } = stage;
    const begun = smsc.journal.taken().length;
    const taken = () => smsc.journal.taken().slice(begun);
    await giveNumber(kit, { phone: "+15005550100" });
    await kit.operator("POST", `/accounts/${toApiId("account", kit.account.id)}/verified_numbers`, {
      phone_number: PHONE,
    });
    const send = (to: string) =>
      kit.request("POST", "/v1/messages", { body: { to, from: "+15005550100", body: "Try me" } });
    const sent = await send(PHONE);
    assert.equal(sent.status, 201, JSON.stringify(sent.body));
    assert.equal(sent.body.simulated, false);
    assert.equal(sent.body.price, 0);
    assert.deepEqual(
      taken().map(({ to, text }) => [to, text]),
      [[PHONE.slice(1), "Try me"]],
    );
    assert.equal((await send("+14155552672")).body.simulated, true);
    assert.equal(taken().length, 1);
  });
});

test("a busy answer is no attempt: the message is offered again until accepted", async (t) => {
  const busyFor =
    (times: number, status: number) =>
    (submit: ReceivedSubmit): Behaviour =>
      submit.earlier < times ? { ...ACCEPTED, answer: "refuse", status, receipt: null } : ACCEPTED;
  const { smsc, send, read, kit } = await startSmppStage(t, {
    behave: busyFor(1, STATUSES.ESME_RMSGQFUL.code),
  });
  const answer = await send(PHONE);
  assert.equal(answer.status, 201, "it was taken within three seconds");
  assert.equal(smsc.journal.submits().length, 2);
  assert.deepEqual(await kit.rows("select attempts from messages"), [{ attempts: 1 }]);
  assert.deepEqual(await kit.rows("select 1 from submit_attempts"), []);
  await until(async () => (await read(answer.body.id)).status === "delivered");
});

test("a message whose bind was lost before it left goes to the next bind immediately, without an attempt", async (t) => {
  const busy = { ...ACCEPTED, answer: "refuse", status: STATUSES.ESME_RTHROTTLED.code } as const;
  const { smsc, send, read, kit } = await startSmppStage(t, {
    behave: ({ earlier }) => (earlier === 0 ? { ...busy, receipt: null } : ACCEPTED),
  });
  const sending = send(PHONE);
  await until(() => smsc.journal.submits().length === 1);
  // The message keeps its slot until the carrier can take it. Meanwhile another process has the
  // bind.
  await kit.rows(
    "update carrier_binds set leased_by = null, lease_until = null, lease_epoch = lease_epoch + 1",
  );
  const { id } = (await sending).body;
  // Well before the half minute of a retry, and without moving the clock.
  await until(async () => (await read(id)).sent_at !== null, 20_000);
  assert.equal(smsc.journal.taken().length, 1);
  assert.deepEqual(await kit.rows("select attempts from messages"), [{ attempts: 1 }]);
  assert.deepEqual(await kit.rows("select 1 from submit_attempts"), []);
});

test("a late answer settles an abandoned message, and no message leaves twice", async (t) => {
  const { smsc, send, read, kit } = await startSmppStage(
    t,
    { behave: () => ({ ...ACCEPTED, answerDelayMs: 2_400, receipt: null }) },
    { answer_seconds: 2 },
  );
  const answer = await send(PHONE);
  assert.equal(answer.status, 202);
  await until(async () => (await read(answer.body.id)).status === "sent");
  await kit.advance(3_600);
  assert.equal(smsc.journal.submits().length, 1);
});

test("the link reconnects after the SMSC broke it, and the outstanding message stays unknown", async (t) => {
  const behave = ({ pdu }: ReceivedSubmit): Behaviour =>
    pdu.fields.destination_addr.endsWith("99")
      ? {
          ...ACCEPTED,
          answer: "drop_line",
          isTaken: true,
          receipt: { ...DELIVERED, delayMs: 1_500 },
        }
      : ACCEPTED;
  const { smsc, send, read } = await startSmppStage(t, { behave });
  const lost = await send("+14155550099");
  assert.equal(lost.status, 202);
  const waiting = await send(PHONE);
  await until(async () => (await read(waiting.body.id)).sent_at !== null);
  // The receipt echoes our reference: the carrier did accept the message.
  await until(async () => (await read(lost.body.id)).status === "delivered");
  assert.equal(smsc.journal.taken().length, 2);
});

test("the binds of one process share its messages: neither waits for its rate while the other is idle", async (t) => {
  const texts = 8;
  const behave = () => ({ ...ACCEPTED, answerDelayMs: 1_000, receipt: null });
  const { smsc, send, kit } = await startSmppStage(t, { behave }, { binds: 2, window: texts });
  const upOf = () => {
    const binds = [...(kit.deps.carriers.all()[0]?.bindStates?.().values() ?? [])];
    return binds.filter(({ state }) => state === "up").length;
  };
  await until(() => upOf() === 2);
  await until(() => smsc.connections("us").length === 2);
  await Promise.all(Array.from({ length: texts }, (_, n) => send(`+1415555${3_000 + n}`)));
  await until(() => smsc.journal.taken().length === texts);
  assert.ok(smsc.journal.mostOutstanding() <= texts / 2, "one bind had more than its half");
});

test("a message to a number that no account holds is acknowledged, counted and logged without its body", async (t) => {
  const lines: string[] = [];
  const log = createLog({
    level: "warn",
    destination: { write: (line: string) => lines.push(line) },
  });
  const { smsc, kit } = await startSmppStage(t, {}, {}, { log });
  const secret = "only for the previous owner of this number";
  const status = await smsc.sendText({
    systemId: "us",
    from: PHONE,
    to: "14155550888",
    text: secret,
  });
  assert.deepEqual(status, [0]);
  await until(() => lines.some((line) => line.includes("inbound: number not owned")));
  assert.ok(!lines.join("\n").includes(secret));
  const metrics = (await kit.request("GET", "/metrics", { key: null })).body;
  assert.match(metrics, /longwave_inbound_unowned_total\{carrier="wire"\} 1/);
});

test("an unmatched receipt is kept for 72 hours and matched when its message becomes known", async (t) => {
  const { smsc, send, read, kit } = await startSmppStage(t, {
    behave: () => ({ ...ACCEPTED, receipt: null }),
    firstId: 5_000n,
  });
  const receipt = (id: string) =>
    smsc.deliver("us", PHONE, {
      fields: { esm_class: 4, short_message: Buffer.from(`id:${id} stat:DELIVRD err:000`) },
      tlvs: [],
    });
  await receipt("5000");
  await receipt("77777");
  await kit.advance(48 * 3_600);
  const sent = await send(PHONE);
  await until(async () => (await read(sent.body.id)).status === "delivered");
  const open = async () =>
    (await kit.rows("select 1 from carrier_inbox where reference = '77777' and due_at is not null"))
      .length;
  assert.equal(await open(), 1);
  await kit.advance(25 * 3_600);
  assert.equal(await open(), 0);
});
