import assert from "node:assert/strict";
import test from "node:test";
import { makeBatch, postBatch } from "../../../testing/batches.ts";
import { SMPP_FROM, startSmppStage } from "../../../testing/smpp-stage.ts";
import { until } from "../../../testing/until.ts";

const PHONE = "+14155552671";
/** 120 characters: two segments of UCS-2, one of GSM-7. */
const CURLY = `“It’s here” – ${"a".repeat(104)}… `.trim();
const PLAIN = `"It's here" - ${"a".repeat(104)}...`;

test("smart encoding is off by default; once on, the replaced body is shown everywhere", async (t) => {
  const { kit, smsc, send } = await startSmppStage(t);
  const key = kit.liveKey;
  const message = { to: PHONE, from: SMPP_FROM, body: CURLY };
  const preview = async () =>
    (await kit.request("POST", "/v1/messages", { key, body: { ...message, dry_run: true } })).body;
  const patch = async (smart_encoding: boolean | null) =>
    (await kit.request("PATCH", "/v1/account", { body: { smart_encoding } })).body.smart_encoding;
  const account = await kit.request("GET", "/v1/account");
  assert.equal(account.body.smart_encoding, false);

  const before = await preview();
  assert.deepEqual(
    [before.encoding, before.segments, before.smart_encoded, before.body],
    ["ucs2", 2, false, CURLY],
  );
  assert.deepEqual(before.ucs2_characters, ["“", "’", "”", "–", "…"]);
  const untouched = await send(PHONE, CURLY);
  assert.deepEqual([untouched.body.body, untouched.body.smart_encoded], [CURLY, false]);

  assert.equal(await patch(true), true);
  const after = await preview();
  assert.deepEqual(
    [after.encoding, after.segments, after.smart_encoded, after.body, after.ucs2_characters],
    ["gsm7", 1, true, PLAIN, []],
  );
  const sentBefore = smsc.journal.taken().length;
  const sent = await send(PHONE, CURLY);
  assert.equal(sent.status, 201);
  const { body, encoding, segments, smart_encoded } = sent.body;
  assert.deepEqual([body, encoding, segments, smart_encoded], [PLAIN, "gsm7", 1, true]);
  const [onWire, ...more] = smsc.journal.taken().slice(sentBefore);
  assert.deepEqual([onWire?.text, onWire?.dataCoding, more.length], [PLAIN, 0, 0]);
  const read = (await kit.request("GET", `/v1/messages/${sent.body.id}`)).body;
  assert.deepEqual([read.encoding, read.smart_encoded], ["gsm7", true]);
  const { entries } = (await kit.request("GET", `/v1/messages/${sent.body.id}/timeline`)).body;
  assert.match(entries[0].description, /replaced/);
  assert.deepEqual(entries[0].details, { segments: 1, encoding: "gsm7", smart_encoded: true });

  // Letters are never changed, and a body that stays UCS-2 anyway is left unchanged.
  for (const text of ["It’s 😀", "“Łódź”", "plain"]) {
    const kept = await send(PHONE, text);
    assert.deepEqual([kept.body.body, kept.body.smart_encoded], [text, false]);
  }

  const rows = { recipients: [{ to: PHONE, variables: { name: "Zoë’s" } }], body: "“{{name}}” …" };
  const checked = await postBatch(kit, { ...rows, from: SMPP_FROM, dry_run: true }, { key });
  assert.equal(checked.body.preview[0].body, "“Zoë’s” …", "ë is not in the GSM alphabet");
  const to = ["+14155552672", "+14155552673"];
  const batch = { from: SMPP_FROM, body: CURLY };
  const valid = await postBatch(
    kit,
    { ...batch, recipients: to.map((one) => ({ to: one })), dry_run: true },
    { key },
  );
  assert.deepEqual(valid.body.segments, { min: 1, max: 1, total: 2 });
  assert.equal(valid.body.preview[0].body, PLAIN);
  await makeBatch(kit, to, batch, { key });
  const ofBatch = () => smsc.journal.taken().filter((taken) => to.includes(`+${taken.to}`));
  await until(() => ofBatch().length === 2);
  assert.ok(ofBatch().every((taken) => taken.text === PLAIN));

  const scheduled_at = new Date(kit.deps.clock.now() + 3_600_000).toISOString();
  const later = { ...message, to: "+14155552674", scheduled_at };
  const scheduled = await kit.request("POST", "/v1/messages", { key, body: later });
  assert.equal(scheduled.body.body, CURLY, "until it is sent it is as it was written");
  await kit.advance(3_601);
  await until(() => smsc.journal.taken().some((taken) => taken.to === "14155552674"));
  assert.equal(smsc.journal.taken().at(-1)?.text, PLAIN);

  assert.equal(await patch(null), false);
  assert.equal((await preview()).smart_encoded, false);
});
