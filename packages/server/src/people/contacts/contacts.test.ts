import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { makeStage, type Stage } from "../../../testing/example-fixtures.ts";
import { assertProblem } from "../../../testing/problems.ts";
import { suiteKit } from "../../../testing/suite.ts";

const ADA = "+14155550123";

describe("contacts", () => {
  const kit = suiteKit();
  const ask = (stage: Stage, method: string, path: string, body?: unknown) =>
    kit().request(method, `/v1${path}`, { key: stage.testKey, body });
  const post = (stage: Stage, body: unknown) => ask(stage, "POST", "/contacts", body);

  it("K1: one contact per number; an upsert keeps omitted fields, clears nulls, only adds tags", async () => {
    const stage = await makeStage(kit());
    const first = await post(stage, {
      phone_number: "(415) 555-0123",
      name: " Ada Lovelace ",
      email: "ada@example.com",
      company: "Engines",
      tags: ["vip", "VIP", "early"],
      attributes: { plan: "gold", city: "London" },
    });
    assert.equal(first.status, 201);
    assert.deepEqual(first.body, {
      ...first.body,
      object: "contact",
      phone_number: ADA,
      name: "Ada Lovelace",
      tags: ["vip", "early"],
      opt_in: null,
      opted_out: false,
    });
    const second = await post(stage, {
      phone_number: ADA,
      email: null,
      company: "",
      tags: ["Early", "math"],
      attributes: { plan: "free" },
    });
    assert.equal(second.status, 200);
    assert.equal(second.body.id, first.body.id);
    assert.deepEqual(
      [second.body.name, second.body.email, second.body.company, second.body.tags],
      ["Ada Lovelace", null, null, ["vip", "early", "math"]],
    );
    assert.deepEqual(second.body.attributes, { plan: "free", city: "London" });
    const same = await post(stage, { phone_number: ADA });
    assert.deepEqual(same.body, second.body);
  });

  it("PATCH replaces tags and attributes, changes the number, and refuses a number in use", async () => {
    const stage = await makeStage(kit());
    const { body: ada } = await post(stage, {
      phone_number: ADA,
      tags: ["a"],
      attributes: { x: "1" },
    });
    await post(stage, { phone_number: "+14155550124" });
    const patch = (body: unknown) => ask(stage, "PATCH", `/contacts/${ada.id}`, body);
    const changed = await patch({ tags: ["b"], attributes: { y: "2" }, name: "Ada" });
    assert.equal(changed.status, 200);
    assert.deepEqual([changed.body.tags, changed.body.attributes], [["b"], { y: "2" }]);
    assert.deepEqual((await patch({ tags: null, attributes: null })).body.tags, []);
    assertProblem(
      await patch({ phone_number: "+14155550124" }),
      409,
      "already_exists",
      "phone_number",
    );
    const moved = await patch({ phone_number: "4155550125" });
    assert.equal(moved.body.phone_number, "+14155550125");
    const byNumber = await ask(stage, "GET", "/contacts?phone_number=4155550125");
    assert.deepEqual(byNumber.body.data, [moved.body]);
    assert.deepEqual((await ask(stage, "GET", "/contacts?q=5550125")).body.data, [moved.body]);
    assert.deepEqual(
      (await ask(stage, "GET", `/contacts?phone_number=${encodeURIComponent(ADA)}`)).body.data,
      [],
    );
    assertProblem(await patch({ opt_in: { status: true } }), 400, "invalid_request", "opt_in");
  });

  it("an error names the invalid field by its path", async () => {
    const stage = await makeStage(kit());
    const long = "x".repeat(41);
    const cases: [Record<string, unknown>, string][] = [
      [{}, "phone_number"],
      [{ phone_number: "12" }, "phone_number"],
      [{ phone_number: "+18765550123" }, "phone_number"],
      [{ phone_number: ADA, email: "ada" }, "email"],
      [{ phone_number: ADA, name: 5 }, "name"],
      [{ phone_number: ADA, name: "a\nb" }, "name"],
      [{ phone_number: ADA, tags: ["ok", long] }, "tags[1]"],
      [{ phone_number: ADA, tags: [" "] }, "tags[0]"],
      [{ phone_number: ADA, attributes: { a: 1 } }, "attributes.a"],
      [{ phone_number: ADA, opt_in: { status: "yes" } }, "opt_in.status"],
      [{ phone_number: ADA, opt_in: { date: "tomorrow" } }, "opt_in.date"],
      [{ phone_number: ADA, opt_in: { date: "2999-01-01" } }, "opt_in.date"],
      [{ phone_number: ADA, opt_in: { evidence: { ip: "nowhere" } } }, "opt_in.evidence.ip"],
      [{ phone_number: ADA, opt_in: { status: false, basis: "express" } }, "opt_in.basis"],
      [{ phone_number: ADA, tgas: [] }, "tgas"],
    ];
    for (const [body, param] of cases) {
      assertProblem(await post(stage, body), 400, "invalid_request", param);
    }
    assert.deepEqual((await ask(stage, "GET", "/contacts")).body.data, []);
    const tags = (from: number) => Array.from({ length: 30 }, (_, n) => `tag ${from + n}`);
    assert.equal((await post(stage, { phone_number: ADA, tags: tags(0) })).status, 201);
    assertProblem(
      await post(stage, { phone_number: ADA, tags: tags(30) }),
      400,
      "invalid_request",
      "tags",
    );
  });

  it("deleting a contact keeps consent, subscriptions and messages; its number may be added again", async () => {
    const stage = await makeStage(kit());
    await stage.api.numbers.create({ phone_number: "+14155550199" });
    await stage.api.messages.send({ to: "+15005550000", from: "+14155550199", body: "Hi" });
    const { body } = await post(stage, { phone_number: "+15005550000", opt_in: { status: false } });
    assert.equal(body.opted_out, true);
    const deleted = await ask(stage, "DELETE", `/contacts/${body.id}`);
    assert.deepEqual([deleted.status, deleted.body], [200, body]);
    assertProblem(await ask(stage, "GET", `/contacts/${body.id}`), 404, "not_found");
    assertProblem(await ask(stage, "DELETE", `/contacts/${body.id}`), 404, "not_found");
    assert.equal((await stage.api.consent.get("+15005550000")).status, "opted_out");
    assert.equal((await stage.api.messages.list({ to: "+15005550000" })).data.length, 1);
    assert.deepEqual((await ask(stage, "GET", "/contacts?q=5005550000")).body.data, []);
    const again = await post(stage, { phone_number: "+15005550000", opt_in: { status: true } });
    assert.equal(again.status, 201);
    assert.notEqual(again.body.id, body.id);
    assert.equal(again.body.opted_out, true, "a contact opts nobody back in");
  });

  it("other accounts see none of the contacts", async () => {
    const [one, other] = [await makeStage(kit()), await makeStage(kit())];
    const { body } = await post(one, { phone_number: ADA, name: "Ada", tags: ["vip"] });
    for (const [method, change] of [["GET"], ["PATCH", { name: "Eve" }], ["DELETE"]] as const) {
      assertProblem(await ask(other, method, `/contacts/${body.id}`, change), 404, "not_found");
    }
    for (const query of ["", "?q=ada", "?tag=vip", "?phone_number=4155550123"]) {
      assert.deepEqual((await ask(other, "GET", `/contacts${query}`)).body.data, []);
    }
    const bulk = { action: "delete", ids: [body.id] };
    const answer = await ask(other, "POST", "/contacts/bulk", bulk);
    assert.deepEqual([answer.body.applied, answer.body.missing], [0, 1]);
    assert.equal((await ask(one, "GET", `/contacts/${body.id}`)).status, 200);
  });

  it("K3: bulk adds tags, removes tags and deletes; unknown ids are counted", async () => {
    const stage = await makeStage(kit());
    const made = [];
    for (let n = 0; n < 3; n += 1) {
      made.push((await post(stage, { phone_number: `+1415555012${n}`, tags: ["old"] })).body);
    }
    const ids = [
      ...made.map((one) => one.id),
      made[0].id,
      "con_00000000000000000000000000",
      "nobody",
    ];
    const bulk = (body: unknown) => ask(stage, "POST", "/contacts/bulk", body);
    const tagged = await bulk({ action: "add_tags", ids, tags: ["New", "old"] });
    assert.deepEqual(tagged.body, {
      object: "contact_bulk",
      action: "add_tags",
      applied: 3,
      missing: 2,
    });
    assert.deepEqual((await ask(stage, "GET", `/contacts/${made[0].id}`)).body.tags, [
      "old",
      "New",
    ]);
    assert.equal((await ask(stage, "GET", "/contacts?tag=new")).body.data.length, 3);
    await bulk({ action: "remove_tags", ids: [made[1].id], tags: ["OLD", "none"] });
    assert.deepEqual((await ask(stage, "GET", `/contacts/${made[1].id}`)).body.tags, ["New"]);
    assertProblem(await bulk({ action: "add_tags", ids }), 400, "invalid_request", "tags");
    assertProblem(
      await bulk({ action: "delete", ids, tags: ["x"] }),
      400,
      "invalid_request",
      "tags",
    );
    assertProblem(
      await bulk({ action: "add_tags", ids, tags: [" "] }),
      400,
      "invalid_request",
      "tags[0]",
    );
    assertProblem(
      await bulk({ action: "delete", ids: Array(501).fill("x") }),
      400,
      "invalid_request",
      "ids",
    );
    const gone = await bulk({ action: "delete", ids: ids.slice(1) });
    assert.deepEqual([gone.body.applied, gone.body.missing], [3, 2]);
    assert.deepEqual((await ask(stage, "GET", "/contacts")).body.data, []);
    assert.deepEqual(
      await kit().rows(
        "select 1 from contact_search s join accounts a on a.id = s.account_id where a.name = 'x'",
      ),
      [],
    );
  });
});
