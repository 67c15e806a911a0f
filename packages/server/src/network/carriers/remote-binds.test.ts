import assert from "node:assert/strict";
import test from "node:test";
import { STATUSES, textParts } from "@longwave/smpp";
import { ACCEPTED, type Behaviour, type ReceivedSubmit, Smsc } from "@longwave/smpp/smsc";
import { makeBatch, phones } from "../../../testing/batches.ts";
import { type Kit, startKitOn } from "../../../testing/kit.ts";
import { carriersFile, SMPP_FROM, smppEntry, startSmppStage } from "../../../testing/smpp-stage.ts";
import { until } from "../../../testing/until.ts";

const REFUSED = "+14155550091";
const SILENT = "+14155550092";
/** A receipt could reach the service before the response to a send that another process accepted. */
const WITHOUT_RECEIPT: Behaviour = { ...ACCEPTED, receipt: null };

function behave({ pdu }: ReceivedSubmit): Behaviour {
  const to = `+${pdu.fields.destination_addr}`;
  if (to === SILENT) return { ...ACCEPTED, answer: "none", receipt: null };
  if (to !== REFUSED) return WITHOUT_RECEIPT;
  return { ...ACCEPTED, answer: "refuse", status: STATUSES.ESME_RINVDSTADR.code, receipt: null };
}

test("the process that owns the bind submits a message that another accepted with 201", async (t) => {
  const stage = await startSmppStage(t, { behave }, { window: 10 });
  const { kit, smsc } = stage;
  const file = await carriersFile(t, [smppEntry(smsc, { window: 10 })]);
  const env = { LONGWAVE_CARRIERS: file };
  const api = await startKitOn(t, kit.connection, { ...env, LONGWAVE_ROLES: "api" });
  const worker = await startKitOn(t, kit.connection, env);
  const others = [api, worker];
  assert.equal(smsc.connections("us").length, 1, "one bind, one owner");
  // A process that has just started learns of the link within a second.
  for (const other of others) {
    await until(() => other.deps.carriers.all().every((one) => one.state().state === "up"));
  }

  const send = (from: Kit, to: string, key?: string) =>
    from.request("POST", "/v1/messages", {
      key: kit.liveKey,
      body: { to, from: SMPP_FROM, body: "Hello" },
      ...(key ? { headers: { "idempotency-key": key } } : {}),
    });
  for (const [index, other] of others.entries()) {
    const sent = await send(other, `+1415555300${index}`, `key ${index}`);
    assert.equal(sent.status, 201, JSON.stringify(sent.body));
    assert.equal(sent.body.status, "sent");
    assert.equal(sent.body.carrier, "wire");
    const again = await send(other, `+1415555300${index}`, `key ${index}`);
    assert.equal(again.headers.get("idempotent-replayed"), "true");
    assert.equal(again.body.id, sent.body.id);

    const refused = await send(other, REFUSED, `refused ${index}`);
    assert.equal(refused.status, 502);
    const retried = await send(other, REFUSED, `refused ${index}`);
    assert.notEqual(retried.body.message_id, refused.body.message_id, "a new attempt");

    // Free slots of another process are as last published.
    await until(async () => {
      const { body } = await other.operator("GET", "/carriers");
      assert.equal(body.data[0].state, "up");
      assert.equal(body.data[0].binds[0].state, "up");
      return body.data[0].window_free === 10;
    });
  }
  const silent = await send(api, SILENT);
  assert.equal(silent.status, 202, "after three seconds without an answer");
  // Otherwise the stop waits for its answer up to the deadline.
  smsc.resetLines();

  const before = smsc.journal.taken().length;
  const to = phones(60);
  await makeBatch(kit, to, { from: SMPP_FROM }, { key: kit.liveKey });
  await until(() => smsc.journal.taken().length === before + to.length);
  assert.ok(smsc.journal.mostOutstanding() <= 10);
  const twice = smsc.journal
    .taken()
    .filter((one, index, all) => all.slice(0, index).some((other) => other.to === one.to));
  assert.deepEqual(twice, []);
});

test("a carrier that is up in another process does not pass its messages to the next", async (t) => {
  const { kit, smsc } = await startSmppStage(t);
  const second = await Smsc.start({ password: "secret" });
  t.after(() => second.stop());
  const file = await carriersFile(t, [
    smppEntry(smsc),
    smppEntry(second, { name: "costly", priority: 20 }),
  ]);
  const other = await startKitOn(t, kit.connection, { LONGWAVE_CARRIERS: file });
  const states = () => other.deps.carriers.all().map((carrier) => carrier.state().state);
  await until(() => states().join() === "up,up");
  const send = (to: string) =>
    other.request("POST", "/v1/messages", {
      key: kit.liveKey,
      body: { to, from: SMPP_FROM, body: "Hello" },
    });
  const sent = await send("+14155553001");
  await until(async () => {
    const path = `/v1/messages/${sent.body.id}`;
    const { carrier } = (await other.request("GET", path, { key: kit.liveKey })).body;
    assert.notEqual(carrier, "costly");
    return carrier === "wire";
  });
  await smsc.stop();
  await until(() => other.deps.carriers.all()[0]?.state().state !== "up");
  const passed = await send("+14155553002");
  assert.equal(passed.status, 201);
  assert.equal(passed.body.carrier, "costly");
});

test("parts of one message that reach different processes are one message", async (t) => {
  const { kit, smsc } = await startSmppStage(t, {}, { binds: 2 });
  const file = await carriersFile(t, [smppEntry(smsc, { binds: 2 })]);
  const other = await startKitOn(t, kit.connection, { LONGWAVE_CARRIERS: file });
  const owned = (one: Kit) => one.deps.carriers.all()[0]?.bindStates?.().size ?? 0;
  const areSpread = async () => {
    if (owned(kit) === 1 && owned(other) === 1) return true;
    // A process with both binds drops one, which goes to a process without any.
    if (owned(kit) + owned(other) === 2) {
      await kit.rows(
        "update carrier_binds set leased_by = null, lease_until = null, lease_epoch = lease_epoch + 1 where bind = 2",
      );
    }
    return false;
  };
  await until(areSpread);
  await until(() => smsc.connections("us").length === 2);
  const phone = "+14155558200";
  const text = "Grüße 漢字 ".repeat(20);
  const options = { alphabet: "gsm7", isPacked: false, longText: "udh", reference: 9 } as const;
  const parts = textParts(text, options);
  assert.ok(parts.length > 2);
  for (const [index, part] of parts.reverse().entries()) {
    const peer = smsc.connections("us")[index % 2];
    const fields = { source_addr: phone.slice(1), destination_addr: SMPP_FROM.slice(1) };
    const pdu = { fields: { ...fields, ...part.fields }, tlvs: part.tlvs };
    const status = await new Promise((resolve) => peer?.deliver(pdu, resolve));
    assert.equal(status, 0);
  }
  const path = `/v1/messages?direction=inbound&from=${encodeURIComponent(phone)}`;
  const received = async () => (await kit.request("GET", path)).body.data;
  await until(async () => (await received()).length > 0);
  await kit.advance(2 * 3_600);
  assert.deepEqual(
    (await received()).map((message: { body: string }) => message.body),
    [text],
  );
});
