import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { makeStage, type Stage } from "../../../testing/example-fixtures.ts";
import { assertProblem } from "../../../testing/problems.ts";
import { suiteKit } from "../../../testing/suite.ts";

const phoneOf = (n: number) => `+1415555${1_000 + n}`;

describe("importing contacts", () => {
  const kit = suiteKit();
  const ask = (stage: Stage, method: string, path: string, body?: unknown) =>
    kit().request(method, `/v1${path}`, { key: stage.testKey, body });
  const importing = (stage: Stage, body: unknown) => ask(stage, "POST", "/contacts/import", body);

  async function everybody(stage: Stage) {
    const { body } = await ask(stage, "GET", "/contacts?limit=100");
    return body.data
      .map(({ id: _id, created_at: _c, updated_at: _u, ...rest }: Record<string, unknown>) => rest)
      .sort((a: { phone_number: string }, b: { phone_number: string }) =>
        a.phone_number < b.phone_number ? -1 : 1,
      );
  }

  const tags = (from: number, count: number) =>
    Array.from({ length: count }, (_, n) => `tag ${from + n}`);
  const row = fc.record(
    {
      phone_number: fc.oneof(
        { weight: 8, arbitrary: fc.nat(3).map(phoneOf) },
        fc.constantFrom("", "abc", "+18765550100", null, 5, "415-555-1001"),
      ),
      name: fc.constantFrom("Ann", " Bo ", "", null, 7, "a\tb", "x".repeat(121)),
      email: fc.constantFrom("a@b.co", "", null, "no", {}),
      company: fc.constantFrom("Acme", null, []),
      tags: fc.oneof(
        fc.subarray(["a", "B", "b", " c "]),
        fc.constantFrom(null, "a", [1], [""], tags(0, 30), tags(30, 30), tags(0, 51)),
      ),
      attributes: fc.constantFrom({ k: "1" }, { K: "2" }, {}, null, { k: 1 }, "x", { "": "x" }),
      opt_in: fc.constantFrom(
        { status: true },
        { status: false, source: "list" },
        { date: "2024-01-01" },
        { source: "form" },
        {},
        null,
        { status: "no" },
        { date: "soon" },
        { date: "2999-01-01" },
      ),
    },
    { requiredKeys: [] },
  );

  it("K2: an import has the same result as its rows sent one by one", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { minLength: 1, maxLength: 8 }),
        fc.array(row, { minLength: 1, maxLength: 8 }),
        async (first, second) => {
          const [one, other] = [await makeStage(kit()), await makeStage(kit())];
          for (const contacts of [first, second]) {
            const counts = { created: 0, updated: 0, skipped: [] as number[] };
            for (const [index, contact] of contacts.entries()) {
              const { status } = await ask(other, "POST", "/contacts", contact);
              if (status === 201) counts.created += 1;
              else if (status === 200) counts.updated += 1;
              else counts.skipped.push(index);
            }
            const { status, body } = await importing(one, { contacts });
            assert.equal(status, 200, JSON.stringify(body));
            const skipped = body.skipped.map((skip: { index: number }) => skip.index);
            assert.deepEqual({ created: body.created, updated: body.updated, skipped }, counts);
            assert.equal(body.created + body.updated + skipped.length, contacts.length);
          }
          assert.deepEqual(await everybody(one), await everybody(other));
          const consent = async (stage: Stage) =>
            (await stage.api.consent.list({ limit: 100 })).data
              .map(({ phone_number, status, source }) => [phone_number, status, source].join())
              .sort();
          assert.deepEqual(await consent(one), await consent(other));
        },
      ),
      { numRuns: 25 },
    );
  });

  it("parallel imports of the same people in opposite order lose no tag and never deadlock", async () => {
    const stage = await makeStage(kit());
    const people = Array.from({ length: 200 }, (_, n) => phoneOf(n));
    const deadlocks = async () =>
      (
        await kit().rows(
          "select deadlocks from pg_stat_database where datname = current_database()",
        )
      )[0].deadlocks;
    const before = await deadlocks();
    for (let round = 0; round < 3; round += 1) {
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, n) => {
          const order = n % 2 === 0 ? people : [...people].reverse();
          const contacts = order.map((phone_number) => ({
            phone_number,
            tags: [`r${round}-${n}`],
            ...(n % 3 === 0 ? { opt_in: { status: true, source: `list ${n}` } } : {}),
          }));
          return importing(stage, { contacts });
        }),
      );
      assert.deepEqual(new Set(answers.map((answer) => answer.status)), new Set([200]));
      const created = answers.reduce((sum, { body }) => sum + body.created, 0);
      assert.equal(created, round === 0 ? people.length : 0);
    }
    const expected = [0, 1, 2].flatMap((round) =>
      Array.from({ length: 8 }, (_, n) => `r${round}-${n}`),
    );
    const rows = await kit().rows(
      "select tag_lines from contacts where account_id = (select account_id from contacts where phone_number = $1 order by id desc limit 1)",
      [phoneOf(199)],
    );
    assert.equal(rows.length, people.length);
    for (const { tag_lines } of rows) {
      const tags = tag_lines.trim().split("\n");
      assert.equal(tags.length, expected.length);
      assert.deepEqual(new Set(tags), new Set(expected));
    }
    assert.equal(await deadlocks(), before);
  });

  it("writes basis and circumstances of an opt-in to the ledger, and skips rows whose evidence cannot be", async () => {
    const stage = await makeStage(kit());
    const evidence = { disclosure: "I agree to offers.", ip: "203.0.113.7", form_version: "3" };
    const contacts = [
      { phone_number: phoneOf(0), opt_in: { basis: "implied_purchase", evidence } },
      { phone_number: phoneOf(1), opt_in: { status: true, evidence: { ip: "nowhere" } } },
      { phone_number: phoneOf(2), opt_in: { status: true, evidence: { disclosure: 7 } } },
      { phone_number: phoneOf(3), opt_in: { status: false, basis: "express" } },
    ];
    const { body } = await importing(stage, { contacts });
    assert.deepEqual(
      body.skipped.map(({ index, reason }: { index: number; reason: string }) => [
        index,
        reason.split(" ")[0],
      ]),
      [
        [1, "opt_in.evidence.ip"],
        [2, "opt_in.evidence.disclosure"],
        [3, "opt_in.basis"],
      ],
    );
    const consent = await stage.api.consent.get(phoneOf(0));
    assert.deepEqual([consent.status, consent.basis], ["opted_in", "implied_purchase"]);
    assert.equal(consent.history[0]?.evidence?.disclosure, evidence.disclosure);
    assert.equal(consent.history[0]?.evidence?.ip, evidence.ip);
  });

  it("writes evidence to the ledger, records opt-outs, and reverses none", async () => {
    const stage = await makeStage(kit());
    const contacts = [
      { phone_number: phoneOf(0), opt_in: { status: true, date: "2024-05-01", source: "fair" } },
      { phone_number: phoneOf(1), opt_in: { status: false } },
      { phone_number: phoneOf(2) },
    ];
    const { body } = await importing(stage, { contacts, name: "Fair" });
    assert.deepEqual([body.object, body.created, body.opted_out], ["contact_import", 3, 1]);
    const first = await stage.api.consent.get(phoneOf(0));
    assert.deepEqual([first.status, first.source], ["opted_in", "fair"]);
    assert.equal(first.history[0]?.date, "2024-05-01T00:00:00.000Z");
    assert.match(first.history[0]?.recorded_by ?? "", /^key_/);
    const again = [
      { phone_number: phoneOf(1), opt_in: { status: true, source: "fair" } },
      { phone_number: phoneOf(0), opt_in: { status: false } },
    ];
    const second = await importing(stage, { contacts: again, import_id: body.import_id });
    assert.deepEqual([second.body.updated, second.body.import_id], [2, body.import_id]);
    for (const n of [0, 1])
      assert.equal((await stage.api.consent.get(phoneOf(n))).status, "opted_out");
    const { body: list } = await ask(
      stage,
      "GET",
      `/contacts?phone_number=${encodeURIComponent(phoneOf(1))}`,
    );
    assert.deepEqual(list.data[0].opt_in, { status: true, date: null, source: "fair" });
    assert.equal(list.data[0].opted_out, true);
    const [stored] = await kit().rows(
      "select name, requests, created, updated from contact_imports where name = 'Fair'",
    );
    assert.deepEqual(stored, { name: "Fair", requests: 2, created: 3, updated: 2 });
    await assert.rejects(stage.api.consent.get(phoneOf(2)));
  });

  it("an unknown field or import, or a wrong size, refuses the request; an invalid value skips its row", async () => {
    const stage = await makeStage(kit());
    const good = { phone_number: phoneOf(0) };
    const refused = async (body: unknown, param: string) =>
      assertProblem(await importing(stage, body), 400, "invalid_request", param);
    await refused({ contacts: [good, { ...good, tgas: [] }] }, "contacts[1].tgas");
    await refused(
      { contacts: [{ ...good, opt_in: { sttaus: true } }] },
      "contacts[0].opt_in.sttaus",
    );
    await refused({ contacts: [] }, "contacts");
    await refused({ contacts: Array(501).fill(good) }, "contacts");
    await refused({ contacts: [good], import_id: "imp_01jd0000000000000000000000" }, "import_id");
    await refused({ contacts: [good], check_line_types: true }, "check_line_types");
    assert.deepEqual(await everybody(stage), []);
    const { body } = await importing(stage, {
      contacts: [good, { phone_number: "nope", name: "x" }],
    });
    assert.deepEqual([body.created, body.skipped.length], [1, 1]);
    assert.deepEqual([body.skipped[0].index, body.skipped[0].value], [1, "nope"]);
    assert.match(body.skipped[0].reason, /^phone_number .*\.$/);
  });

  it("a dry run predicts the import of repeated numbers", async () => {
    const stage = await makeStage(kit());
    const full = tags(0, 50);
    await importing(stage, { contacts: [{ phone_number: phoneOf(3), tags: full }] });
    const out = { opt_in: { status: false } };
    const contacts = [
      { phone_number: phoneOf(0) },
      { phone_number: phoneOf(0), ...out },
      { phone_number: phoneOf(1), ...out },
      { phone_number: phoneOf(1) },
      { phone_number: phoneOf(2), ...out },
      { phone_number: phoneOf(2), opt_in: { status: true } },
      { phone_number: phoneOf(3), ...out, tags: ["one more"] },
      { phone_number: phoneOf(3), name: "Ann" },
    ];
    const { summary, skipped } = (await importing(stage, { contacts, dry_run: true })).body;
    assert.deepEqual(
      [summary.found, summary.valid, summary.malformed, summary.duplicates],
      [8, 4, 1, 3],
    );
    assert.deepEqual([summary.marked_unsubscribed, summary.eligible], [3, 1]);
    const real = (await importing(stage, { contacts })).body;
    assert.deepEqual(real.skipped, skipped);
    const created = [real.created, real.updated];
    assert.deepEqual(created, [summary.will_create, summary.will_update + summary.duplicates]);
    const texted = (await everybody(stage)).filter((one: { opted_out: boolean }) => !one.opted_out);
    assert.equal(texted.length, summary.eligible);
  });

  it("a dry run counts everything and stores nothing", async () => {
    const stage = await makeStage(kit());
    await importing(stage, {
      contacts: [
        { phone_number: phoneOf(0) },
        { phone_number: phoneOf(1), opt_in: { status: false } },
      ],
    });
    const contacts = [
      { phone_number: phoneOf(0), name: "known" },
      { phone_number: phoneOf(1), opt_in: { status: false } },
      { phone_number: phoneOf(2), opt_in: { status: false } },
      { phone_number: phoneOf(3) },
      { phone_number: "415-555-1003" },
      { phone_number: "+15005550007" },
      { phone_number: "x", email: "y" },
      { phone_number: phoneOf(4), email: "y" },
    ];
    const before = await everybody(stage);
    const { status, body } = await importing(stage, {
      contacts,
      dry_run: true,
      check_line_types: true,
    });
    assert.equal(status, 200);
    assert.equal(body.object, "contact_import_preview");
    assert.deepEqual(body.summary, {
      found: 8,
      valid: 4,
      malformed: 2,
      duplicates: 1,
      landlines: 1,
      already_opted_out: 1,
      marked_unsubscribed: 1,
      will_create: 2,
      will_update: 2,
      eligible: 2,
    });
    assert.deepEqual(
      body.rejected.map((one: { index: number; reason: string }) => [one.index, one.reason]),
      [
        [4, "duplicate"],
        [5, "landline"],
        [6, "malformed"],
        [7, "malformed"],
      ],
    );
    assert.deepEqual([body.created, body.updated, body.opted_out], [0, 0, 0]);
    assert.deepEqual(await everybody(stage), before);
    const plain = await importing(stage, { contacts, dry_run: true });
    assert.deepEqual([plain.body.summary.landlines, plain.body.summary.valid], [null, 5]);
    await assert.rejects(stage.api.consent.get(phoneOf(2)));
    const { import_id } = plain.body;
    const kept = await importing(stage, { contacts, import_id });
    assert.equal(kept.body.import_id, import_id, "the import continues the dry run");
  });
});
