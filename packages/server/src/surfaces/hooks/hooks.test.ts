import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { HOOK_PRESETS } from "@longwave/contract";
import { freshAccounts } from "../../../testing/fresh-account.ts";
import { giveNumber } from "../../../testing/give-number.ts";
import type { Answer, Kit } from "../../../testing/kit.ts";
import { assertProblem } from "../../../testing/problems.ts";

const FROM = "+15005550100";
const PHONE = "+15005550000";
const DECLARATION = {
  purpose: "messages",
  to: ["person.phone"],
  body: "{{text}}",
  signature: { type: "token", header: "x-secret" },
};

interface Made {
  readonly id: string;
  readonly url: string;
  readonly secret: string;
}

async function make(kit: Kit, more: object = {}): Promise<Made> {
  const body = { name: "Desk", from: FROM, declaration: DECLARATION, ...more };
  const made = await kit.request("POST", "/v1/hooks", { body });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  return made.body;
}

async function call(kit: Kit, hook: Made, content: unknown, headers: object = {}) {
  const { pathname } = new URL(hook.url, kit.url);
  const answer = await fetch(kit.url + pathname, {
    method: "POST",
    headers: { "content-type": "application/json", "x-secret": hook.secret, ...headers },
    body: typeof content === "string" ? content : JSON.stringify(content),
  });
  const body = (await answer.json()) as Answer["body"];
  return { status: answer.status, body, headers: answer.headers };
}

const text = (to: string, words = "Hello") => ({ person: { phone: to }, text: words });
const bodies = async (kit: Kit) =>
  (await kit.rows("select body from messages order by id")).map((row) => row.body);

describe("hooks", () => {
  const account = freshAccounts();
  const withNumber = async (t: Parameters<typeof account>[0]) => {
    const kit = await account(t);
    await giveNumber(kit);
    return kit;
  };

  it("shows the secret once, and in the address where nothing is signed", async (t) => {
    const kit = await withNumber(t);
    const signed = await make(kit);
    assert.match(signed.secret, /^[0-9a-f]{64}$/);
    const read = await kit.request("GET", `/v1/hooks/${signed.id}`);
    assert.ok(!JSON.stringify(read.body).includes(signed.secret));
    const plain = await make(kit, { declaration: { ...DECLARATION, signature: null } });
    assert.ok(plain.url.endsWith(`/${plain.secret}`), plain.url);
    assert.equal((await call(kit, plain, text(PHONE))).status, 200);
    const wrong = { ...plain, url: plain.url.replace(/.$/, "x") };
    assert.equal((await call(kit, wrong, text(PHONE))).status, 401);
    const listed = await kit.request("GET", "/v1/hooks");
    assert.deepEqual(
      listed.body.data.map((hook: { url: string }) => hook.url.endsWith("/…")),
      [true, false],
    );
  });

  it("names the faulty field of a declaration", async (t) => {
    const kit = await withNumber(t);
    const refused = async (more: object, param: string) => {
      const body = { name: "Desk", from: FROM, declaration: DECLARATION, ...more };
      assertProblem(
        await kit.request("POST", "/v1/hooks", { body }),
        400,
        "invalid_request",
        param,
      );
    };
    const changed = (change: object) => ({ declaration: { ...DECLARATION, ...change } });
    await refused({ declaration: undefined }, "declaration");
    await refused({ preset: "novu" }, "declaration");
    await refused(changed({ to: ["no path!"] }), "declaration.to[0]");
    await refused(changed({ to: null }), "recipients");
    await refused(changed({ body: "{{a b}}" }), "declaration.body");
    await refused(changed({ body: "{{open" }), "declaration.body");
    await refused(changed({ list: "a..b" }), "declaration.list");
    await refused(changed({ answer: { body: "{{secret}}" } }), "declaration.answer.body");
    await refused(changed({ answer: { status: 500 } }), "declaration.answer.status");
    await refused(
      changed({ answer: { content_type: "x\r\ny" } }),
      "declaration.answer.content_type",
    );
    await refused(
      changed({ signature: { type: "hmac", header: "x-sig", signed: "{{env.HOME}}" } }),
      "declaration.signature.signed",
    );
    await refused({ body: "{{open" }, "body");
    await refused({ recipients: ["+44"] }, "recipients[0]");
    await refused({ from: "pool_00000000000000000000000000" }, "from");
    const foreign = { name: "Desk", from: "+14155550142", preset: "novu" };
    const unowned = await kit.request("POST", "/v1/hooks", { body: foreign });
    assertProblem(unowned, 403, "sender_not_owned", "from");
  });

  it("says what a call lacks, and shows the paths that it has", async (t) => {
    const kit = await withNumber(t);
    const hook = await make(kit);
    const answers = [
      await call(kit, hook, { phone: PHONE, text: "Hello" }),
      await call(kit, hook, text("+15005550000000000")),
      await call(kit, hook, { person: { phone: PHONE } }),
      await call(kit, hook, "{"),
      await call(kit, hook, text(PHONE, "x".repeat(1_601))),
    ];
    assert.deepEqual(
      answers.map(({ status, body }) => [status, body.error.code, body.error.param]),
      [
        [400, "invalid_request", "person.phone"],
        [400, "invalid_request", "person.phone"],
        [400, "invalid_request", "body"],
        [400, "invalid_request", null],
        [400, "invalid_request", "body"],
      ],
    );
    const { body } = await kit.request("GET", `/v1/hooks/${hook.id}/requests`);
    assert.deepEqual(
      body.data.map((one: { paths: string[] }) => one.paths),
      [["person.phone", "text"], [], ["person.phone"], ["person.phone", "text"], ["phone", "text"]],
    );
    assert.deepEqual(await bodies(kit), []);
  });

  it("reads lists, conditions, forms, headers and the query", async (t) => {
    const kit = await withNumber(t);
    const hook = await make(kit, {
      declaration: {
        ...DECLARATION,
        list: "people",
        when: [{ path: "kind", values: ["SMS"] }],
        to: ["phone"],
        body: "{{missing|name}}: {{$root.text}} {{$header.X-From}} {{$query.v}}",
      },
    });
    const people = [
      { kind: "sms", phone: "5005550000", name: "Ada" },
      { kind: "mail", phone: PHONE, name: "Bob" },
      { kind: "sms", phone: "15005550009", name: "Cy" },
    ];
    const { pathname } = new URL(hook.url, kit.url);
    const queried = { ...hook, url: `${kit.url}${pathname}` };
    const sent = await call(kit, queried, { text: "Hi", people }, { "X-From": "desk" });
    assert.equal(sent.status, 200, JSON.stringify(sent.body));
    assert.deepEqual(await bodies(kit), ["Ada: Hi desk ", "Cy: Hi desk "]);
    const none = await call(kit, hook, { text: "Hi", people: [people[1]] });
    assert.deepEqual([none.status, none.body], [200, { message_id: "" }]);
    const form = await make(kit, { declaration: { ...DECLARATION, to: ["to"] } });
    const type = { "content-type": "application/x-www-form-urlencoded" };
    const posted = await call(kit, form, "to=%2B15005550000&text=A+form", type);
    assert.equal(posted.status, 200);
    assert.equal((await bodies(kit)).at(-1), "A form");
  });

  it("a repeated call with the same identifier sends once", async (t) => {
    const kit = await withNumber(t);
    const hook = await make(kit, { declaration: { ...DECLARATION, id: "{{event}}" } });
    const first = await call(kit, hook, { ...text(PHONE), event: "e-1" });
    const second = await call(kit, hook, { ...text(PHONE), event: "e-1" });
    assert.deepEqual(second.body, first.body);
    await call(kit, hook, { ...text(PHONE), event: "e-2" });
    await call(kit, hook, text(PHONE));
    assert.equal((await bodies(kit)).length, 3);
  });

  it("limits messages per minute and per phone", async (t) => {
    const kit = await withNumber(t);
    kit.stopClock();
    const hook = await make(kit, { messages_per_minute: 3, messages_per_phone_hour: 2 });
    const statusOf = async (to: string) => (await call(kit, hook, text(to))).status;
    assert.deepEqual([await statusOf(PHONE), await statusOf(PHONE)], [200, 200]);
    const toPhone = await call(kit, hook, text(PHONE));
    assert.deepEqual(
      [toPhone.status, toPhone.body.error.param, toPhone.headers.get("retry-after")],
      [429, "messages_per_phone_hour", "3600"],
    );
    assert.equal(await statusOf("+15005550009"), 200);
    const inMinute = await call(kit, hook, text("+15005550009"));
    assert.deepEqual([inMinute.status, inMinute.body.error.param], [429, "messages_per_minute"]);
    await kit.advance(61);
    assert.deepEqual([await statusOf("+15005550009"), await statusOf(PHONE)], [200, 429]);
  });

  it("a call with too many messages sends none", async (t) => {
    const kit = await withNumber(t);
    const declaration = { ...DECLARATION, list: "people", to: ["phone"], body: "Hi" };
    const hook = await make(kit, { declaration });
    const people = Array.from({ length: 101 }, () => ({ phone: PHONE }));
    const asked = await call(kit, hook, { people });
    assertProblemOf(asked, 400, "invalid_request");
    assert.match(asked.body.error.message, /^The call asks for more than 100 messages\. /);
    const listed = await call(kit, hook, { people: Array(1_001).fill({}) });
    assert.match(listed.body.error.message, /^The list at people has more than 1000 items\. /);
    assert.deepEqual(await bodies(kit), []);
  });

  it("the fraud rules of verification apply to foreign codes", async (t) => {
    const kit = await withNumber(t);
    kit.stopClock();
    const made = await make(kit, { preset: "authentik", declaration: undefined });
    const code = (To: string) =>
      call(
        kit,
        made,
        { To, Body: "123456", Message: "Code 123456" },
        {
          authorization: `Bearer ${made.secret}`,
        },
      );
    const answers = [];
    for (let send = 0; send < 6; send += 1) answers.push(await code(PHONE));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200, 200, 200, 429],
      "five codes to a phone in ten minutes",
    );
    const destination = await code("+15005550020");
    assert.deepEqual(
      [destination.status, destination.body.error.code],
      [403, "verification_blocked"],
    );
    const blocks = [];
    for (let line = 0; line < 8; line += 1) blocks.push((await code(`+1415555250${line}`)).status);
    assert.deepEqual(blocks.slice(0, 5), Array(5).fill(200));
    assert.ok(blocks.slice(5).includes(403), `neighbours: ${blocks}`);
    const decisions = await kit.request("GET", "/v1/verify/decisions?allowed=false");
    assert.ok(decisions.body.data.length >= 2);
    const started = await kit.request("POST", "/v1/verify", { body: { phone: "+12065550123" } });
    assert.equal(started.status, 201, "codes of others stay out of the account's conversion");
  });

  it("pauses, changes, rotates and deletes", async (t) => {
    const kit = await withNumber(t);
    const hook = await make(kit);
    const patch = (body: object) => kit.request("PATCH", `/v1/hooks/${hook.id}`, { body });
    await patch({ active: false });
    assertProblemOf(await call(kit, hook, text(PHONE)), 409, "invalid_state");
    await patch({ active: true, body: "Note: {{text}}" });
    assert.equal((await call(kit, hook, text(PHONE))).status, 200);
    assert.deepEqual(await bodies(kit), ["Note: Hello"]);
    const rotated = await kit.request("POST", `/v1/hooks/${hook.id}/rotate_secret`);
    assert.notEqual(rotated.body.secret, hook.secret);
    assertProblemOf(await call(kit, hook, text(PHONE)), 401, "invalid_api_key");
    assert.equal((await call(kit, rotated.body, text(PHONE))).status, 200);
    await patch({ secret: "a-secret-of-theirs" });
    const theirs = { ...hook, secret: "a-secret-of-theirs" };
    assert.equal((await call(kit, theirs, text(PHONE))).status, 200);
    const log = await kit.rows("select action, changes from audit_log where action like 'hook.%'");
    assert.ok(!JSON.stringify(log).includes("a-secret-of-theirs"));
    await kit.request("DELETE", `/v1/hooks/${hook.id}`);
    assertProblemOf(await call(kit, theirs, text(PHONE)), 404, "not_found");
    assert.equal((await kit.request("GET", `/v1/hooks/${hook.id}`)).status, 404);
  });

  it("tests a call without sending it", async (t) => {
    const kit = await withNumber(t);
    const hook = await make(kit, { preset: "supabase", declaration: undefined });
    const path = `/v1/hooks/${hook.id}/test`;
    const documented = await kit.request("POST", path);
    assert.deepEqual(documented.body.messages, [
      { to: PHONE, body: "Your code is ******.", message_id: null, error: null },
    ]);
    assert.deepEqual(documented.body.answer, { status: 200, body: "{}" });
    const content = JSON.stringify({ user: { phone: "nobody" }, sms: { otp: "1234" } });
    const other = await kit.request("POST", path, { body: { content } });
    assert.equal(other.body.messages[0].error.param, "sms.phone");
    // Supabase reads the reason of a refusal from an answer with status 200.
    assert.equal(other.body.answer.status, 200);
    assert.equal(JSON.parse(other.body.answer.body).error.http_code, 400);
    const broken = await kit.request("POST", path, { body: { content: "{" } });
    assert.equal(broken.body.error.code, "invalid_request");
    const own = await make(kit);
    const ownPath = `/v1/hooks/${own.id}/test`;
    const read = async (call: unknown) => {
      const body = { content: JSON.stringify(call) };
      const { answer } = (await kit.request("POST", ownPath, { body })).body;
      return [answer.status, JSON.parse(answer.body)];
    };
    const [status, accepted] = await read(text(PHONE));
    assert.deepEqual([status, Object.keys(accepted)], [200, ["message_id"]]);
    assert.match(accepted.message_id, /^msg_/);
    const [code, refused] = await read({ text: "Hello" });
    assert.deepEqual([code, refused.error.param], [400, "person.phone"]);
    const missing = await kit.request("POST", `/v1/hooks/${own.id}/test`);
    assert.equal(missing.body.error.param, "content");
    assert.deepEqual(await bodies(kit), []);
  });

  it("an account has at most twenty", async (t) => {
    const kit = await withNumber(t);
    for (let count = 0; count < 20; count += 1) await make(kit);
    const body = { name: "Desk", from: FROM, declaration: DECLARATION };
    const refused = await kit.request("POST", "/v1/hooks", { body });
    assertProblem(refused, 409, "limit_reached");
  });

  it("presets are listed with a sample that they read", async (t) => {
    const kit = await withNumber(t);
    const { body } = await kit.request("GET", "/v1/hook-presets");
    assert.equal(body.data.length, HOOK_PRESETS.size);
    assert.deepEqual(JSON.parse(body.data[0].sample), HOOK_PRESETS.get("alertmanager")?.sample);
  });
});

function assertProblemOf(
  { status, body }: { status: number; body: { error?: { code: string } } },
  expected: number,
  code: string,
): void {
  assert.deepEqual([status, body.error?.code], [expected, code], JSON.stringify(body));
}
