import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fromApiId } from "../../src/core/platform/ids.ts";
import { createVisitors } from "../../testing/console-users.ts";
import { giveNumber } from "../../testing/give-number.ts";
import { secondAccount } from "../../testing/live.ts";
import { suiteKit } from "../../testing/suite.ts";

const FROM = "+15005550100";
const TO = "+15005550000";

describe("the console's first page and its search", () => {
  const kit = suiteKit();
  const { call, asOwner, asRole } = createVisitors(kit);

  it("each step follows the stored rows of the viewed account and mode", async () => {
    const { cookie, account } = await asOwner();
    const home = async (mode = "test") =>
      (await call("GET", `/${account}/${mode}/home`, { cookie })).body;
    await kit().rows("update api_keys set last_used_at = null");
    const none = {
      key_used: false,
      text_sent: false,
      webhook_added: false,
      phone_verified: false,
      registration_made: false,
      live_access: false,
    };
    const initial = await home();
    assert.deepEqual(initial.steps, none, JSON.stringify(initial));
    await giveNumber(kit(), { phone: FROM });
    const { api } = kit();
    await api.messages.send({ from: FROM, to: TO, body: "Hi" });
    await api.webhooks.create({ url: "https://hooks.example.com/in" });
    const { test_code } = await api.verify.start({ phone: TO });
    await api.verify.check({ phone: TO, code: test_code ?? "" });
    await api.registrations.create({
      business_name: "Hillside Dental",
      website: "https://hillside.example.com",
      use_case: "account_notification",
      draft: true,
    });
    await kit().rows("update api_keys set last_used_at = now()");
    const done = await home();
    assert.deepEqual(done.steps, {
      key_used: true,
      text_sent: true,
      webhook_added: true,
      phone_verified: true,
      registration_made: true,
      live_access: false,
    });
    assert.equal(done.from, FROM);
    const live = await call("GET", `/${account}/live/home`, { cookie });
    assert.equal(live.body.error.code, "live_access_required");
    await kit().operatorApi.accounts.update(account, { live_access: "granted" });
    const { steps, from } = await home("live");
    assert.deepEqual([steps.live_access, from], [true, null], "it has no live number");
  });

  it("finds by id, phone in any form, email and name, only in the reader's account", async () => {
    const { account } = await asOwner();
    const cookie = await asRole("viewer");
    const { api } = kit();
    const search = async (q: string) => {
      const query = new URLSearchParams({ q });
      const { body } = await call("GET", `/${account}/test/search?${query}`, { cookie });
      return body.data.map((hit: { kind: string; id: string; status: string | null }) => hit);
    };
    const kinds = async (q: string) =>
      (await search(q)).map(({ kind, id }: { kind: string; id: string }) => [kind, id]);
    const ada = await api.contacts.upsert({
      phone_number: TO,
      name: "Ada Lovelace",
      email: "ada@example.com",
    });
    const [sent] = (await api.messages.list({ number: TO, limit: 1 })).data;
    const text = ["message", sent?.id];
    const person = ["contact", ada.id];
    assert.deepEqual(await kinds("(500) 555-0000"), [text, person]);
    assert.deepEqual(await kinds(FROM), [text, ["number", FROM]]);
    assert.deepEqual(await kinds("lovelace"), [person]);
    assert.deepEqual(await kinds(" ada@example.com"), [person]);
    assert.deepEqual(await kinds(ada.id), [person]);
    assert.deepEqual(await kinds(sent?.id ?? ""), [text]);
    assert.deepEqual(await kinds("msg_01jd0000000000000000000000"), []);
    assert.deepEqual(await kinds("a"), []);
    assert.equal((await search(TO))[0].status, sent?.status);
    const other = await secondAccount(kit());
    const body = { phone_number: TO, name: "Lovelace too" };
    const theirs = (await other.request("POST", "/v1/contacts", { body })).body;
    assert.deepEqual(await kinds("lovelace"), [person]);
    assert.deepEqual(await kinds(theirs.id), []);
    const { status } = await call("GET", `/${account}/test/search?q=`, { cookie });
    assert.equal(status, 400);
  });

  it("finds customers, batches, segments, topics, webhooks and hooks by name", async () => {
    const { account } = await asOwner();
    const cookie = await asRole("viewer");
    const { api } = kit();
    const customer = await api.customers.create({
      name: "Zephyr Dental",
      external_id: "crm-zd-9",
    });
    const segment = await api.segments.create({
      name: "zephyr regulars",
      filter: { field: "tag", op: "is", value: "vip" },
    });
    const topic = await api.topics.create({ name: "Zephyr news" });
    const endpoint = await api.webhooks.create({ url: "https://zephyr.example.com/in" });
    const hook = await api.hooks.create({ name: "Zephyr alerts", from: FROM, preset: "novu" });
    const { body } = await call("GET", `/${account}/test/search?q=ZEPHYR`, { cookie });
    assert.deepEqual(
      body.data.map((hit: { kind: string; id: string }) => [hit.kind, hit.id]),
      [
        ["customer", customer.id],
        ["segment", segment.id],
        ["topic", topic.id],
        ["webhook_endpoint", endpoint.id],
        ["hook", hook.id],
      ],
    );
    const byExternalId = await call("GET", `/${account}/test/search?q=ZD-9`, { cookie });
    assert.deepEqual(
      byExternalId.body.data.map((hit: { id: string }) => hit.id),
      [customer.id],
    );
  });

  it("finds texts by their words in the reader's mode, and keys for members alone", async () => {
    const { account } = await asOwner();
    const { api } = kit();
    const cookie = await asRole("member");
    const find = async (q: string, by = cookie, mode = "test") => {
      const query = new URLSearchParams({ q });
      const { body } = await call("GET", `/${account}/${mode}/search?${query}`, { cookie: by });
      return body.data as { kind: string; id: string; name: string; detail: string }[];
    };
    const long = `${"A long way before the words. ".repeat(5)}Your crown is READY, Ada.`;
    const sent = await api.messages.send({ from: FROM, to: TO, body: long });
    await api.messages.send({ from: FROM, to: TO, body: "Nothing else" });
    const [hit, ...more] = await find("crown is ready");
    assert.deepEqual([hit?.kind, hit?.id, hit?.detail], ["message", sent.id, TO]);
    assert.match(hit?.name ?? "", /^….*Your crown is READY, Ada\.$/);
    assert.deepEqual(more, []);
    assert.deepEqual(await find("100%"), [], "no character is a wildcard");
    await kit().operatorApi.accounts.update(account, { live_access: "granted" });
    assert.deepEqual(await find("crown is ready", cookie, "live"), []);
    const key = await kit().operatorApi.keys.create(account, { mode: "test", name: "Quokka sync" });
    const ids = (hits: { kind: string; id: string }[]) => hits.map(({ kind, id }) => [kind, id]);
    assert.deepEqual(ids(await find("quokka")), [["api_key", key.id]]);
    assert.deepEqual(ids(await find(key.id)), [["api_key", key.id]]);
    assert.deepEqual(await find("quokka", await asRole("viewer")), []);
  });

  it("names of contacts are read by phone, in the reader's account alone", async () => {
    const { cookie, account } = await asOwner();
    await kit().api.contacts.upsert({ phone_number: "+14155550191", name: "Ada Lovelace" });
    const other = await secondAccount(kit());
    await other.api.contacts.upsert({ phone_number: "+14155550192", name: "Eve" });
    const phones = ["+14155550191", "+14155550192", "x"].map(encodeURIComponent).join(",");
    const path = `/${account}/names?phones=${phones}`;
    const { status, body } = await call("GET", path, { cookie: await asRole("viewer") });
    assert.equal(status, 200);
    assert.deepEqual(
      body.data.map((row: { phone_number: string; name: string }) => [row.phone_number, row.name]),
      [["+14155550191", "Ada Lovelace"]],
    );
    assert.equal((await call("GET", `/${account}/names`, { cookie })).status, 400);
  });

  it("automations show their runs, failures and last run, without test runs", async () => {
    const { cookie, account } = await asOwner();
    const other = await secondAccount(kit());
    const body = { name: "Welcome", trigger: { event: "joined" }, steps: [{ type: "exit" }] };
    const [busy, idle, theirs] = await Promise.all(
      [kit(), kit(), other].map(async (owner, at) => {
        const trigger = { event: `joined_${at}` };
        return owner.api.automations.create({ ...body, trigger } as never);
      }),
    );
    const { phone_number } = await kit().api.contacts.upsert({ phone_number: "+14155550193" });
    for (const _ of [1, 2]) await kit().api.automations.track({ event: "joined_0", phone_number });
    const [run] = (await kit().api.automations.runs(busy?.id ?? "")).data;
    await kit().rows(
      "update automation_runs set status = 'failed', reason = 'exit', ended_at = now(), due_at = null where id = $1",
      [fromApiId("automation_run", run?.id ?? "")],
    );
    const ids = [busy, idle, theirs].map((each) => each?.id).join();
    const { status, body: answer } = await call("GET", `/${account}/automation-runs?ids=${ids}`, {
      cookie: await asRole("viewer"),
    });
    assert.equal(status, 200, JSON.stringify(answer));
    const rows = new Map<string, { runs: number; failed: number; last_status: string | null }>(
      answer.data.map((row: { automation_id: string }) => [row.automation_id, row]),
    );
    assert.equal(rows.size, 2, cookie);
    const shown = rows.get(busy?.id ?? "");
    assert.deepEqual([shown?.failed, shown?.last_status], [1, "failed"]);
    assert.ok((shown?.runs ?? 0) >= 1);
    const none = rows.get(idle?.id ?? "");
    assert.deepEqual([none?.runs, none?.failed, none?.last_status], [0, 0, null]);
  });

  it("names of objects and members are read by id, those of keys by roles that see keys", async () => {
    const { cookie, account } = await asOwner();
    const { api } = kit();
    const filter = { field: "tag", op: "is", value: "vip" } as const;
    const segment = await api.segments.create({ name: "Regulars", filter });
    const customer = await api.customers.create({ name: "Bluebird Bakery" });
    const other = await secondAccount(kit());
    const foreign = await other.api.customers.create({ name: "Elsewhere" });
    const { body: me } = await call("GET", "/session", { cookie });
    const key = (await api.account.get()).key;
    const ids = [segment.id, customer.id, foreign.id, me.user.id, key?.id, "cus_x", "x"].join();
    const path = `/${account}/object-names?ids=${ids}`;
    const namesFor = async (reader: string) => {
      const { status, body } = await call("GET", path, { cookie: reader });
      assert.equal(status, 200);
      return new Map(body.data.map((row: { id: string; name: string }) => [row.id, row.name]));
    };
    const names = await namesFor(cookie);
    assert.equal(names.get(segment.id), "Regulars");
    assert.equal(names.get(customer.id), "Bluebird Bakery");
    assert.ok(names.has(me.user.id));
    assert.ok(names.has(key?.id));
    assert.equal(names.size, 4);
    assert.ok(!(await namesFor(await asRole("viewer"))).has(key?.id));
    assert.equal((await call("GET", `/${account}/object-names`, { cookie })).status, 400);
  });
});
