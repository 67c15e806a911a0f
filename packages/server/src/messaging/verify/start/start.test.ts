import assert from "node:assert/strict";
import test from "node:test";
import { freshAccounts } from "../../../../testing/fresh-account.ts";
import { giveNumber } from "../../../../testing/give-number.ts";
import type { Kit } from "../../../../testing/kit.ts";
import { assertRefused, secondAccount } from "../../../../testing/live.ts";

const openAccount = freshAccounts();

const PHONE = "+14155552671";

async function start(kit: Kit, more: Record<string, unknown> = {}, headers = {}) {
  return kit.request("POST", "/v1/verify", { body: { phone: PHONE, ...more }, headers });
}

async function check(kit: Kit, code: string, phone = PHONE) {
  return kit.request("POST", "/v1/verify/check", { body: { phone, code } });
}

async function typesOf(kit: Kit): Promise<string[]> {
  const rows = await kit.rows("select type from events where account_id = $1 order by seq", [
    kit.account.id,
  ]);
  return rows.map((row) => row.type);
}

/** A different code of six digits. */
function wrong(code: string): string {
  return String((Number(code) + 1) % 1_000_000).padStart(6, "0");
}

test("a code is sent, checked and approved", async (t) => {
  const kit = await openAccount(t);
  const started = await start(kit, { app_name: "Acme" });
  assert.equal(started.status, 201, JSON.stringify(started.body));
  const { id, test_code: code, created_at, expires_at, ...rest } = started.body;
  assert.match(id, /^ver_/);
  assert.match(code, /^\d{6}$/);
  assert.equal(Date.parse(expires_at) - Date.parse(created_at), 600_000);
  assert.deepEqual(rest, {
    object: "verification",
    phone: PHONE,
    status: "pending",
    app_name: "Acme",
    customer_id: null,
    from: null,
    attempts: 0,
    max_attempts: 5,
    charged: false,
    simulated: true,
    approved_at: null,
    metadata: {},
  });
  const first = await check(kit, wrong(code));
  assert.deepEqual(first.body, {
    verified: false,
    status: "pending",
    attempts: 1,
    charged: false,
  });
  const right = await check(kit, `${code.slice(0, 3)}-${code.slice(3, 5)} ${code.slice(5)}`);
  assert.deepEqual(right.body, {
    verified: true,
    status: "approved",
    attempts: 2,
    charged: false,
  });
  assertRefused(await check(kit, code), 404, "not_found");
  const read = await kit.request("GET", `/v1/verify/${id}`);
  assert.equal(read.body.status, "approved");
  assert.equal(read.body.attempts, 2);
  assert.equal(read.body.decision.allowed, true);
  assert.ok(read.body.decision.rules.length >= 8);
  assert.deepEqual(await typesOf(kit), [
    "verification.sent",
    "verification.failed",
    "verification.approved",
  ]);
  const stats = await kit.request("GET", "/v1/verify/stats");
  assert.deepEqual(stats.body.totals, { sent: 1, approved: 1, blocked: 0, conversion: 1 });
  assert.equal((await kit.rows("select 1 from messages")).length, 0);
});

test("a resend keeps id, code, attempts and expiry; a verification has five sends", async (t) => {
  const kit = await openAccount(t);
  const { body: first } = await start(kit, { app_name: "Acme" });
  await check(kit, wrong(first.test_code));
  for (let send = 2; send <= 5; send += 1) {
    const again = await start(kit, { app_name: "Other" });
    assert.equal(again.status, 201);
    assert.deepEqual(again.body, { ...first, attempts: 1 });
  }
  const sixth = await start(kit);
  assertRefused(sixth, 429, "rate_limited", "phone");
  const wait = Number(sixth.headers.get("retry-after"));
  assert.ok(wait > 590 && wait <= 600, String(wait));
  assert.equal((await typesOf(kit)).filter((type) => type === "verification.sent").length, 5);
  await kit.advance(601);
  const next = await start(kit);
  assert.equal(next.status, 201);
  assert.notEqual(next.body.id, first.id);
  for (let send = 2; send <= 5; send += 1) assert.equal((await start(kit)).status, 201);
  await kit.advance(601);
  const eleventh = await start(kit);
  assertRefused(eleventh, 429, "rate_limited", "phone");
  assert.ok(Number(eleventh.headers.get("retry-after")) > 80_000);
  await kit.advance(86_400);
  assert.equal((await start(kit)).status, 201);
});

test("five wrong codes end a verification, whose status stays readable for a day", async (t) => {
  const kit = await openAccount(t);
  const { body } = await start(kit);
  for (let attempt = 1; attempt <= 4; attempt += 1) {
    assert.equal((await check(kit, wrong(body.test_code))).body.status, "pending");
  }
  const ended = { verified: false, status: "max_attempts", attempts: 5, charged: false };
  assert.deepEqual((await check(kit, wrong(body.test_code))).body, ended);
  assert.deepEqual((await check(kit, body.test_code)).body, ended);
  await kit.advance(86_000);
  assert.deepEqual((await check(kit, body.test_code)).body, ended);
  await kit.advance(500);
  assertRefused(await check(kit, body.test_code), 404, "not_found");
  assert.equal((await typesOf(kit)).filter((type) => type === "verification.failed").length, 5);
});

test("a late code is reported as expired for a day, with one event", async (t) => {
  const kit = await openAccount(t);
  const { body } = await start(kit);
  await kit.advance(601);
  assert.equal((await kit.request("GET", `/v1/verify/${body.id}`)).body.status, "expired");
  const late = { verified: false, status: "expired", attempts: 0, charged: false };
  assert.deepEqual((await check(kit, body.test_code)).body, late);
  assert.deepEqual((await check(kit, body.test_code)).body, late);
  assert.deepEqual(await typesOf(kit), ["verification.sent", "verification.failed"]);
  await kit.advance(86_400);
  assertRefused(await check(kit, body.test_code), 404, "not_found");
});

test("a malformed code is refused and counts as no attempt", async (t) => {
  const kit = await openAccount(t);
  const { body } = await start(kit);
  for (const code of ["12a456", "123", "12345678901", "１２３４５６", "", "   "]) {
    assertRefused(await check(kit, code), 400, "invalid_request", "code");
  }
  const number = await kit.request("POST", "/v1/verify/check", {
    body: { phone: PHONE, code: 123456 },
  });
  assertRefused(number, 400, "invalid_request", "code");
  assert.equal((await kit.request("GET", `/v1/verify/${body.id}`)).body.attempts, 0);
  assertRefused(await check(kit, "123456", "+14155552672"), 404, "not_found");
  assertRefused(await check(kit, "123456", "+442071838750"), 400, "invalid_request", "phone");
});

test("accounts do not share verifications", async (t) => {
  const kit = await openAccount(t);
  const other = await secondAccount(kit);
  const { body: mine } = await start(kit);
  assertRefused(await check(other, mine.test_code), 404, "not_found");
  assertRefused(await other.request("GET", `/v1/verify/${mine.id}`), 404, "not_found");
  const { body: theirs } = await start(other);
  assert.notEqual(theirs.id, mine.id);
  assert.equal((await check(other, mine.test_code)).body.verified, false);
  assert.equal((await check(kit, mine.test_code)).body.verified, true);
});

test("an Idempotency-Key sends once and replays the code from an encrypted record", async (t) => {
  const kit = await openAccount(t);
  const headers = { "idempotency-key": "start-1" };
  const answers = await Promise.all([start(kit, {}, headers), start(kit, {}, headers)]);
  const again = await start(kit, {}, headers);
  assert.equal(again.status, 201);
  assert.equal(again.headers.get("idempotent-replayed"), "true");
  for (const answer of answers) {
    if (answer.status === 201) assert.deepEqual(answer.body, again.body);
    else assertRefused(answer, 409, "idempotency_in_progress");
  }
  assert.equal((await typesOf(kit)).length, 1);
  assertRefused(await start(kit, { app_name: "Other" }, headers), 409, "idempotency_conflict");
  const [stored] = await kit.rows("select encrypted from idempotency_keys");
  assert.equal(stored.encrypted, true);
});

test("test numbers simulate their documented outcomes", async (t) => {
  const kit = await openAccount(t);
  const blocked = await start(kit, { phone: "+15005550020" });
  assertRefused(blocked, 403, "verification_blocked", "phone");
  assert.equal(blocked.body.charged, false);
  assertRefused(await start(kit, { phone: "+15005550007" }), 403, "verification_blocked", "phone");
  assertRefused(await start(kit, { phone: "+15005550004" }), 502, "carrier_error");
  assertRefused(await check(kit, "123456", "+15005550004"), 404, "not_found");
  const events = await kit.rows("select type, data from events order by seq");
  assert.deepEqual(
    events.map((event) => [event.type, event.data.verification_id, event.data.reason]),
    [
      ["verification.blocked", null, "destination"],
      ["verification.blocked", null, "line_type"],
    ],
  );
  const later = await start(kit, { phone: "+15005550002" });
  assert.equal(later.status, 201);
  assert.equal((await typesOf(kit)).length, 2);
  await kit.advance(6);
  assert.deepEqual((await typesOf(kit)).slice(2), ["verification.sent"]);
  assert.equal((await check(kit, later.body.test_code, "+15005550002")).body.verified, true);
  const decisions = await kit.request("GET", "/v1/verify/decisions?allowed=false");
  assert.deepEqual(
    decisions.body.data.map((one: { reason: string }) => one.reason),
    ["line_type", "destination"],
  );
});

test("app names that could change the meaning of the message are refused", async (t) => {
  const kit = await openAccount(t);
  for (const app_name of ["evil.com", "a\nb", "x".repeat(25), "Acme 1234", "PayPal", "Your Bank"]) {
    assertRefused(await start(kit, { app_name }), 400, "invalid_request", "app_name");
  }
  for (const app_name of ["St. John's", "Ёлка", "🍕 Pizza!"]) {
    assert.equal((await start(kit, { app_name })).status, 201, app_name);
  }
  assertRefused(await start(kit, { ip: "1.2.3" }), 400, "invalid_request", "ip");
  assertRefused(await start(kit, { from: "+14155550111" }), 403, "sender_not_owned", "from");
});

test("codes to neighbouring numbers block the prefix for twelve hours", async (t) => {
  const kit = await openAccount(t);
  for (let line = 0; line < 5; line += 1) {
    assert.equal((await start(kit, { phone: `+1415555260${line}` })).status, 201);
  }
  const sixth = await start(kit, { phone: "+14155552605" });
  assertRefused(sixth, 403, "verification_blocked", "phone");
  assertRefused(await start(kit, { phone: "+14155552999" }), 403, "verification_blocked", "phone");
  const { body } = await kit.request("GET", "/v1/verify/decisions?limit=2&allowed=false");
  const reasons = body.data.map((one: { reason: string }) => one.reason);
  assert.deepEqual(reasons, ["prefix_blocked", "neighbouring_numbers"]);
  assert.equal((await start(kit, { phone: "+14155553999" })).status, 201);
  await kit.advance(12 * 3_600 + 1);
  assert.equal((await start(kit, { phone: "+14155552999" })).status, 201);
});

test("a resend is refused once its sender is released", async (t) => {
  const kit = await openAccount(t);
  const from = await giveNumber(kit, { phone: "+14155550111" });
  const other = await giveNumber(kit, { phone: "+14155550112" });
  const { body: first } = await start(kit, { from });
  assert.equal((await start(kit)).body.id, first.id, "the resend keeps its sender");
  assert.equal((await start(kit, { from: other })).body.from, from);
  assert.equal((await kit.request("DELETE", `/v1/numbers/${from}`)).status, 200);
  const headers = { "idempotency-key": "resend" };
  for (const more of [{}, { from: other }, { from }]) {
    assertRefused(await start(kit, more, headers), 403, "sender_not_owned", "from");
  }
  const sent = (await typesOf(kit)).filter((type) => type === "verification.sent");
  assert.equal(sent.length, 3);
  const messages = await kit.request("GET", `/v1/messages?from=${from}`);
  assert.equal(messages.body.data.length, 3);
  await kit.advance(601);
  const next = await start(kit, {}, headers);
  assert.deepEqual([next.status, next.body.from], [201, null], "the key was not used up");
});

test("verifications are listed by their newest code, and filtered by phone and present status", async (t) => {
  const kit = await openAccount(t);
  const others = ["+14155552672", "+14155552673"];
  const { body: first } = await start(kit, { app_name: "Acme" });
  const { body: second } = await start(kit, { phone: others[0] });
  const { body: third } = await start(kit, { phone: others[1] });
  await check(kit, second.test_code, others[0]);
  const idsOf = async (query = "") => {
    const { status, body } = await kit.request("GET", `/v1/verify${query}`);
    assert.equal(status, 200, JSON.stringify(body));
    return body.data.map(({ id }: { id: string }) => id);
  };
  assert.deepEqual(await idsOf(), [third.id, second.id, first.id]);
  await start(kit);
  assert.deepEqual(await idsOf(), [first.id, third.id, second.id], "once, by the code sent again");
  assert.deepEqual(await idsOf("?phone=4155552672"), [second.id]);
  assert.deepEqual(await idsOf("?status=approved"), [second.id]);
  assert.deepEqual(await idsOf("?status=pending"), [first.id, third.id]);
  assert.deepEqual(await idsOf("?status=max_attempts"), []);
  await kit.advance(601);
  assert.deepEqual(await idsOf("?status=pending"), []);
  assert.deepEqual(await idsOf("?status=expired"), [first.id, third.id]);
  const { body: page } = await kit.request("GET", "/v1/verify?limit=2");
  assert.equal(page.has_more, true);
  assert.deepEqual(await idsOf(`?limit=2&cursor=${page.next_cursor}`), [second.id]);
  assertRefused(
    await kit.request("GET", "/v1/verify?status=late"),
    400,
    "invalid_request",
    "status",
  );
  // Times are those of the newest code: nothing was sent in the last ten minutes.
  const recentMs = kit.deps.clock.now() - 600_000;
  assert.deepEqual(await idsOf(`?created_after=${recentMs}`), []);
  assert.equal((await idsOf(`?created_before=${recentMs}`)).length, 3);
  const [item] = (await kit.request("GET", "/v1/verify?phone=4155552672")).body.data;
  assert.deepEqual([item.status, item.attempts, item.app_name], ["approved", 1, null]);
});
