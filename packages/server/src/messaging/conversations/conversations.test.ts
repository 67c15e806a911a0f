import assert from "node:assert/strict";
import test from "node:test";
import { ApiError, type Conversation } from "@longwave/sdk";
import { giveNumber } from "../../../testing/give-number.ts";
import { OURS, PERSON, shareInstallation, text } from "../../../testing/inbound-stage.ts";
import type { Kit } from "../../../testing/kit.ts";
import { goLive } from "../../../testing/live.ts";
import { assertProblem } from "../../../testing/problems.ts";
import { toApiId } from "../../core/platform/ids.ts";
import { handleInboundMessage } from "../inbound/receive.ts";

const freshAccount = shareInstallation();
const SECOND = "+12125550101";

async function only(kit: Kit, query: object = {}): Promise<Conversation> {
  const { data } = await kit.api.conversations.list(query);
  assert.equal(data.length, 1, JSON.stringify(data));
  return data[0] as Conversation;
}

const peopleOf = async (kit: Kit, query: object) =>
  (await kit.api.conversations.list(query)).data.map((each) => each.phone_number);

async function reply(kit: Kit, more: object = {}) {
  return kit.api.messages.send({ from: OURS, to: PERSON, body: "Yes, until six.", ...more });
}

async function updates(kit: Kit) {
  const { data } = await kit.api.events.list({ type: "conversation.updated" });
  return data.flatMap((event) => (event.type === "conversation.updated" ? [event.data] : []));
}

/** A member of the kit's account. */
async function member(kit: Kit, name: string): Promise<string> {
  const id = kit.deps.ids.make();
  const mail = `${id}@example.com`;
  await kit.rows(
    `insert into users (id, email, email_key, name, password_hash, created_at)
     values ($1, $2, $3, $4, '', now())`,
    [id, mail, mail, name],
  );
  await kit.rows(
    "insert into memberships (account_id, user_id, role, created_at) values ($1, $2, 'member', now())",
    [kit.account.id, id],
  );
  return toApiId("user", id);
}

test("one person is one conversation, whichever of the account's numbers they text", async () => {
  const kit = await freshAccount();
  await giveNumber(kit, { phone: SECOND });
  await kit.api.contacts.upsert({ phone_number: PERSON, name: "Ada Lovelace" });
  await text(kit, "Are you open?", { from: PERSON });
  const first = await only(kit);
  assert.equal(first.contact?.name, "Ada Lovelace");
  assert.deepEqual(
    [first.status, first.unread, first.needs_reply, first.number, first.assignee],
    ["open", 1, true, OURS, null],
  );
  await kit.api.test.inbound({ from: PERSON, to: SECOND, body: "Hello?" });
  const both = await only(kit);
  assert.deepEqual(
    [both.numbers, both.number, both.unread, both.received, both.last_message?.body],
    [[SECOND, OURS], SECOND, 2, 2, "Hello?"],
  );
  assert.equal(both.created_at, first.created_at);
  assert.deepEqual(await kit.api.conversations.get(PERSON), both);
});

test("a reply ends the need for one; batches, automatic replies and failed replies do not", async () => {
  const kit = await freshAccount();
  await text(kit, "Are you open?", { from: PERSON });
  await kit.api.batches.create({ from: OURS, body: "Sale!", recipients: [{ to: PERSON }] });
  await kit.advance(5);
  assert.deepEqual(
    [(await only(kit)).needs_reply, (await only(kit)).last_message?.body],
    [true, "Sale!"],
  );
  const { id } = await reply(kit);
  assert.equal((await only(kit)).needs_reply, false);
  await kit.rows("update messages set status = 'failed' where id = $1", [
    (await kit.rows("select id from messages where body = 'Yes, until six.'"))[0].id,
  ]);
  assert.equal((await only(kit)).needs_reply, true, id);
  await reply(kit);
  const answered = await only(kit);
  assert.deepEqual([answered.needs_reply, answered.last_message?.direction], [false, "outbound"]);
  await text(kit, "Thanks. And Monday?", { from: PERSON });
  assert.equal((await only(kit)).needs_reply, true);
});

test("a keyword that the service answered is read and needs no reply", async () => {
  const kit = await freshAccount();
  await text(kit, "STOP", { from: PERSON });
  const stopped = await only(kit);
  assert.deepEqual([stopped.unread, stopped.needs_reply, stopped.received], [0, false, 1]);
});

test("closing reads the conversation; a new message opens it again, a keyword does not", async () => {
  const kit = await freshAccount();
  await text(kit, "Hello", { from: PERSON });
  const closed = await kit.api.conversations.update(PERSON, { status: "closed" });
  assert.deepEqual([closed.status, closed.unread, closed.needs_reply], ["closed", 0, false]);
  assert.ok(closed.closed_at);
  await text(kit, "HELP", { from: PERSON });
  assert.equal((await only(kit)).status, "closed");
  await text(kit, "One more thing", { from: PERSON });
  const again = await only(kit);
  assert.deepEqual([again.status, again.unread, again.needs_reply], ["open", 1, true]);
});

test("reading, assigning and closing emit one event each; a change of nothing emits none", async () => {
  const kit = await freshAccount();
  const ada = await member(kit, "Ada");
  await text(kit, "Hello", { from: PERSON });
  await kit.api.conversations.update(PERSON, { read: true });
  const assigned = await kit.api.conversations.update(PERSON, { assignee: ada });
  assert.deepEqual(assigned.assignee, { id: ada, name: "Ada" });
  await kit.api.conversations.update(PERSON, { status: "closed", assignee: null });
  await kit.api.conversations.update(PERSON, { status: "closed" });
  const unread = await kit.api.conversations.update(PERSON, { read: false });
  assert.equal(unread.unread, 1);
  const common = { phone_number: PERSON, mode: "test" };
  assert.deepEqual((await updates(kit)).toReversed(), [
    { ...common, status: "open", assignee_id: null, unread: 0, changed: ["read"] },
    { ...common, status: "open", assignee_id: ada, unread: 0, changed: ["assignee"] },
    {
      ...common,
      ...{ status: "closed", assignee_id: null, unread: 0 },
      changed: ["status", "assignee", "reply"],
    },
    { ...common, status: "closed", assignee_id: null, unread: 1, changed: ["read"] },
  ]);
});

test("only members of the account can be assigned", async () => {
  const kit = await freshAccount();
  const stranger = await member(await freshAccount(), "Eve");
  await text(kit, "Hello", { from: PERSON });
  for (const assignee of [stranger, "usr_nobody", "Ada"]) {
    const refused = await kit.request("PATCH", `/v1/conversations/${PERSON}`, {
      body: { assignee },
    });
    assertProblem(refused, 400, "invalid_request", "assignee");
  }
});

test("filters: state, need of a reply, unread, assignee, number, person and search", async () => {
  const kit = await freshAccount();
  await giveNumber(kit, { phone: SECOND });
  const ada = await member(kit, "Ada");
  const [open, answered, closed] = ["+14155550131", "+14155550132", "+14155550133"];
  await kit.api.contacts.upsert({ phone_number: closed, name: "Zoë Müller" });
  for (const from of [open, answered, closed]) {
    await kit.api.test.inbound({ from, to: from === closed ? SECOND : OURS, body: "Hi" });
  }
  await kit.api.messages.send({ from: OURS, to: answered, body: "Hello" });
  await kit.api.conversations.update(answered, { read: true, assignee: ada });
  await kit.api.conversations.update(closed, { status: "closed" });
  const cases: readonly [object, readonly string[]][] = [
    [{}, [closed, answered, open]],
    [{ status: "open" }, [answered, open]],
    [{ status: "closed" }, [closed]],
    [{ needs_reply: true }, [open]],
    [{ needs_reply: false }, [answered]],
    [{ unread: true }, [open]],
    [{ unread: false }, [closed, answered]],
    [{ assignee: ada }, [answered]],
    [{ assignee: "none" }, [closed, open]],
    [{ number: SECOND }, [closed]],
    [{ phone_number: "(415) 555-0131" }, [open]],
    [{ q: "müller" }, [closed]],
    [{ q: "0132" }, [answered]],
    [{ q: "nobody" }, []],
  ];
  for (const [query, expected] of cases) {
    assert.deepEqual(await peopleOf(kit, query), expected, JSON.stringify(query));
  }
  const firstPage = await kit.api.conversations.list({ limit: 2 });
  const cursor = firstPage.next_cursor ?? "";
  assert.deepEqual(await peopleOf(kit, { limit: 2, cursor }), [open]);
  const summary = { object: "conversation_summary", unread: 1, needs_reply: 1, has_more: false };
  assert.deepEqual(await kit.api.conversations.summary(), summary);
});

test("the sandbox's conversations and live ones are apart", async () => {
  const kit = await freshAccount();
  await goLive(kit, 1_000);
  const ours = await giveNumber(kit, {
    phone: "+18885550177",
    mode: "live",
    type: "toll_free",
    senderState: "active",
  });
  await text(kit, "Sandbox", { from: PERSON });
  const payload = { carrier: "a", reference: null, from: PERSON, to: ours, body: "Live" };
  await kit.deps.db.tx((tx) => handleInboundMessage(kit.deps, tx, { carrier: "a", payload }));
  for (const [key, body] of [
    [kit.testKey, "Sandbox"],
    [kit.liveKey, "Live"],
  ] as const) {
    const { body: list } = await kit.request("GET", "/v1/conversations", { key });
    assert.deepEqual(
      list.data.map((each: Conversation) => each.last_message?.body),
      [body],
    );
  }
});

test("notes keep their author and are listed newest first", async () => {
  const kit = await freshAccount();
  await text(kit, "Hello", { from: PERSON });
  const first = await kit.api.conversations.addNote(PERSON, { body: "Called back" });
  await kit.api.conversations.addNote(PERSON, { body: "Wants Tuesday" });
  assert.match(first.author.id, /^key_/);
  const { data } = await kit.api.conversations.notes(PERSON);
  assert.deepEqual(
    data.map((note) => note.body),
    ["Wants Tuesday", "Called back"],
  );
  await kit.api.conversations.deleteNote(PERSON, first.id);
  assert.equal((await kit.api.conversations.notes(PERSON)).data.length, 1);
  await assert.rejects(
    kit.api.conversations.deleteNote(PERSON, first.id),
    (error) => error instanceof ApiError && error.code === "not_found",
  );
  assert.deepEqual(
    (await updates(kit)).map((data) => data.changed),
    [["notes"], ["notes"], ["notes"]],
  );
});

test("a person who has not written has no conversation", async () => {
  const kit = await freshAccount();
  for (const [method, path, body] of [
    ["GET", "", undefined],
    ["PATCH", "", { read: true }],
    ["GET", "/notes", undefined],
    ["POST", "/notes", { body: "x" }],
  ] as const) {
    const answer = await kit.request(method, `/v1/conversations/${PERSON}${path}`, { body });
    assertProblem(answer, 404, "not_found");
  }
});

test("snippets are listed by name, and a name is taken in any case", async () => {
  const kit = await freshAccount();
  const hours = await kit.api.snippets.create({ name: "Opening hours", body: "9 to 5" });
  await kit.api.snippets.create({ name: "address", body: "1 Main St" });
  const named = await kit.request("POST", "/v1/snippets", {
    body: { name: "OPENING HOURS", body: "x" },
  });
  assertProblem(named, 409, "already_exists", "name");
  const renamed = await kit.request("PATCH", `/v1/snippets/${hours.id}`, {
    body: { name: "Address" },
  });
  assertProblem(renamed, 409, "already_exists", "name");
  await kit.api.snippets.update(hours.id, { name: "Hours" });
  assert.deepEqual(
    (await kit.api.snippets.list()).data.map(({ name, body }) => [name, body]),
    [
      ["address", "1 Main St"],
      ["Hours", "9 to 5"],
    ],
  );
  await kit.api.snippets.delete(hours.id);
  assert.equal((await kit.api.snippets.list()).data.length, 1);
});

test("messages that arrive at once count once each", async () => {
  const kit = await freshAccount();
  const bodies = Array.from({ length: 8 }, (_, at) => `Message ${at}`);
  const reads = [1, 2].map(() =>
    kit.request("PATCH", `/v1/conversations/${PERSON}`, {
      body: { read: false },
    }),
  );
  await Promise.all([...bodies.map((body) => text(kit, body, { from: PERSON })), ...reads]);
  const { received, unread } = await only(kit);
  assert.equal(received, bodies.length);
  assert.ok(unread >= bodies.length && unread <= bodies.length + 1, String(unread));
});
