import assert from "node:assert/strict";
import test from "node:test";
import { countSegments, matchKeyword } from "@longwave/contract";
import { OURS, PERSON, replies, shareInstallation, text } from "../../../testing/inbound-stage.ts";
import { sweepExpired } from "../../core/db/schema/retention.ts";
import { AUTO_REPLIES_PER_HOUR_MAX } from "../../people/consent/handle-keyword.ts";
import { defaultReply } from "../../people/consent/reply-copy.ts";

const freshAccount = shareInstallation();

test("automatic replies contain no keyword, whatever the business is called", () => {
  for (const business of [
    "Test account",
    "Stop & Shop",
    "The End",
    "Help Desk",
    "Quit Smoking Co",
  ]) {
    for (const action of ["opt_out", "opt_in", "help"] as const) {
      for (const language of ["en", "fr", "es"] as const) {
        const reply = defaultReply(action, business, language);
        for (const optedOut of [true, false]) {
          assert.equal(matchKeyword(reply, { optedOut }), null, reply);
        }
        assert.equal(countSegments(reply).encoding, "gsm7", reply);
      }
    }
  }
});

test("French and Spanish keywords are answered in their language", async () => {
  const kit = await freshAccount();
  await text(kit, "Aide");
  await text(kit, "ARRÊT");
  await text(kit, "AYUDA", { from: "+12125550177" });
  await text(kit, "alto", { from: "+12125550177" });
  const bodies = (await replies(kit)).map(({ body }) => body);
  const reply = (action: "help" | "opt_out", language: "fr" | "es") =>
    defaultReply(action, kit.account.name, language);
  assert.deepEqual(bodies, [
    reply("help", "fr"),
    reply("opt_out", "fr"),
    reply("help", "es"),
    reply("opt_out", "es"),
  ]);
  const consent = await kit.request("GET", `/v1/consent/${PERSON}`);
  assert.deepEqual([consent.body.status, consent.body.match], ["opted_out", "keyword"]);
  assert.equal(consent.body.history.at(-1).keyword, "ARRET");
});

test("the conversation with auto-replying phones ends within a round", async () => {
  const kit = await freshAccount();
  // +15005550010 answers every message with STOP, +15005550011 echoes it.
  await text(kit, "START", { from: "+15005550010" });
  await text(kit, "START", { from: "+15005550011" });
  await text(kit, "HELP", { from: "+15005550011" });
  await kit.advance(60);
  const count = async () =>
    (
      await kit.rows("select count(*)::int as n from messages where account_id = $1", [
        kit.account.id,
      ])
    )[0].n;
  const settled = await count();
  await kit.advance(3_600);
  assert.equal(await count(), settled);
  const toStopper = (await replies(kit)).filter((one) => one.to_number === "+15005550010");
  assert.equal(toStopper.length, 2);
  assert.equal((await kit.request("GET", "/v1/consent/+15005550010")).body.status, "opted_out");
});

test("a phone that alternates between STOP and START gets no more replies, but every keyword counts", async () => {
  const kit = await freshAccount();
  await text(kit, "START");
  await kit.rows("update auto_reply_counts set replies = $1 where account_id = $2", [
    AUTO_REPLIES_PER_HOUR_MAX,
    kit.account.id,
  ]);
  await text(kit, "STOP");
  assert.equal((await replies(kit)).length, 1);
  assert.equal((await kit.request("GET", `/v1/consent/${PERSON}`)).body.status, "opted_out");
  await kit.advance(3_600);
  await text(kit, "START");
  assert.equal((await replies(kit)).length, 2);
});

test("a reply count is deleted once it limits nothing", async () => {
  const kit = await freshAccount();
  await text(kit, "HELP");
  const { signal } = new AbortController();
  await kit.advance(3_600);
  await sweepExpired(kit.deps, signal);
  assert.equal(
    (await kit.rows("select 1 from auto_reply_counts where account_id = $1", [kit.account.id]))
      .length,
    1,
  );
  await kit.advance(3_601);
  await sweepExpired(kit.deps, signal);
  assert.deepEqual(
    await kit.rows("select 1 from auto_reply_counts where account_id = $1", [kit.account.id]),
    [],
  );
});

test("delivered messages make the auto-replying test phones reply", async () => {
  const kit = await freshAccount();
  const send = (to: string) =>
    kit.request("POST", "/v1/messages", { body: { to, from: OURS, body: "Dinner at 8?" } });
  await send("+15005550010");
  await send("+15005550011");
  await kit.advance(2);
  const inbound = await kit.request("GET", "/v1/messages?direction=inbound");
  const bodies = new Map(
    inbound.body.data.map((one: { from: string; body: string }) => [one.from, one.body]),
  );
  assert.equal(bodies.get("+15005550010"), "STOP");
  assert.equal(bodies.get("+15005550011"), "Dinner at 8?");
  assert.equal((await send("+15005550010")).body.error.code, "recipient_opted_out");
});
