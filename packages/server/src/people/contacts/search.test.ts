import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { makeStage, type Stage } from "../../../testing/example-fixtures.ts";
import { assertProblem } from "../../../testing/problems.ts";
import { suiteKit } from "../../../testing/suite.ts";
import { fromApiId } from "../../core/platform/ids.ts";

interface Person {
  readonly phone_number: string;
  readonly name: string | null;
  readonly email: string | null;
  readonly company: string | null;
  readonly tags: readonly string[];
}

/** Reference implementation of `q`. */
function isMeant(person: Person, q: string): boolean {
  const part = q.trim().normalize("NFC").toLowerCase();
  const lines = [person.name, person.email, person.company, person.phone_number.slice(1)];
  const digits = /^[\d\s()+./-]+$/.test(part) ? part.replace(/\D/g, "") : "";
  return lines.some((line) => {
    const text = (line ?? "").normalize("NFC").toLowerCase();
    return text.includes(part) || (digits !== "" && text.includes(digits));
  });
}

describe("searching contacts", () => {
  const kit = suiteKit();

  async function page(stage: Stage, query: Record<string, string>, limit = 100): Promise<Person[]> {
    const all: Person[] = [];
    let cursor = "";
    do {
      const text = new URLSearchParams({
        ...query,
        limit: String(limit),
        ...(cursor ? { cursor } : {}),
      });
      const { status, body } = await kit().request("GET", `/v1/contacts?${text}`, {
        key: stage.testKey,
      });
      assert.equal(status, 200, JSON.stringify(body));
      all.push(...body.data);
      cursor = body.next_cursor ?? "";
    } while (cursor !== "");
    return all;
  }

  async function importAll(stage: Stage, people: readonly Partial<Person>[]): Promise<void> {
    for (let from = 0; from < people.length; from += 500) {
      const contacts = people.slice(from, from + 500);
      const answer = await kit().request("POST", "/v1/contacts/import", {
        key: stage.testKey,
        body: { contacts },
      });
      assert.deepEqual([answer.status, answer.body.skipped], [200, []]);
    }
  }

  const word = fc.constantFrom(
    "Ann",
    "bob",
    "Zoë",
    "Ürün",
    "O'Neil",
    "%",
    "_",
    "\\",
    "a b",
    "ß",
    "İx",
    "漢字",
    "x",
  );
  const person = fc.record({
    name: fc.option(fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(" "))),
    company: fc.option(word),
    email: fc.option(fc.constantFrom("Ann@Example.com", "b.o-b+1@x.io", "zoë@y.org")),
    tags: fc.subarray(["vip", "VIP2", "Gold", "%"]),
  });
  const q = fc.oneof(
    word,
    fc.constantFrom(
      "nn",
      "N",
      "41",
      "415 555",
      "(415)",
      "+1415",
      "555-0",
      "@",
      "example",
      ".",
      "  ann ",
      "zz",
      "1",
      "9",
    ),
  );

  /** Inserts more empty search rows than a search walks, so that only the index finds contacts. */
  async function hideBehindEmptyRows(stage: Stage): Promise<void> {
    const { id } = await stage.api.account.get();
    await kit().rows(
      `insert into contact_search (shard, account_id, first_id, text, terms)
       select a.shard, a.id, ('ffffffff-ffff-7fff-8fff-' || lpad(to_hex(n), 11, '0') || '0')::uuid, '', '{}'
         from accounts a, generate_series(1, 1001) n where a.id = $1::uuid`,
      [fromApiId("account", id)],
    );
  }

  it("finds exactly the matching contacts, ignoring case, newest first, on every page, with and without the index", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(person, { minLength: 1, maxLength: 12 }),
        q,
        async (people, asked) => {
          const stage = await makeStage(kit());
          await importAll(
            stage,
            people.map((one, n) => ({ ...one, phone_number: `+1415555${1000 + n}` })),
          );
          const everybody = await page(stage, {});
          assert.equal(everybody.length, people.length);
          const expected = everybody.filter((one) => isMeant(one, asked));
          const vips = everybody.filter((one) => one.tags.includes("vip"));
          const check = async () => {
            assert.deepEqual(await page(stage, { q: asked }, 3), expected);
            assert.deepEqual(await page(stage, { tag: "Vip" }, 2), vips);
            assert.deepEqual(
              await page(stage, { tag: "vip", q: asked }),
              vips.filter((one) => isMeant(one, asked)),
            );
          };
          await check();
          await hideBehindEmptyRows(stage);
          await check();
        },
      ),
      { numRuns: 25 },
    );
  });

  it("finds old contacts with a rare string by the index", async () => {
    const stage = await makeStage(kit());
    const rare = [
      { phone_number: "+12065550101", name: "Quetzal Xylo", tags: ["rare"] },
      { phone_number: "+12065550102", email: "qx@example.org", company: "Zyx" },
      { phone_number: "+12065550103", name: "Qx Ω" },
    ];
    await importAll(stage, rare);
    await importAll(
      stage,
      Array.from({ length: 1_500 }, (_, n) => ({
        phone_number: `+1415${2_000_000 + n}`,
        name: `Ann ${n}`,
      })),
    );
    await hideBehindEmptyRows(stage);
    const phones = async (query: Record<string, string>) =>
      (await page(stage, query)).map((one) => one.phone_number);
    assert.deepEqual(await phones({ q: "qx" }), ["+12065550103", "+12065550102"]);
    assert.deepEqual(await phones({ q: "QUETZAL" }), ["+12065550101"]);
    assert.deepEqual(await phones({ q: "z" }), ["+12065550102", "+12065550101"]);
    assert.deepEqual(await phones({ q: "ω" }), ["+12065550103"]);
    assert.deepEqual(await phones({ q: "(206) 555-0102" }), ["+12065550102"]);
    assert.deepEqual(await phones({ tag: "RARE" }), ["+12065550101"]);
    assert.deepEqual(await phones({ tag: "rare", q: "xylo" }), ["+12065550101"]);
    assert.deepEqual(await phones({ tag: "rare", q: "zyx" }), []);
    assert.equal((await page(stage, { q: "ann" })).length, 1_500);
    assert.deepEqual(await phones({ q: "0102", tag: "rare" }), []);
    assert.deepEqual(await phones({ q: "2065550103" }), ["+12065550103"]);
  });

  it("finds contacts of one search row by their current fields after concurrent changes", async () => {
    const stage = await makeStage(kit());
    const names = ["Alba", "Bruno", "Chiara", "Dario", "Elio"];
    await importAll(
      stage,
      names.map((name, n) => ({ phone_number: `+1206555${2000 + n}`, name, tags: ["old"] })),
    );
    const { id: accountId } = await stage.api.account.get();
    const kept = () =>
      kit().rows("select text, terms from contact_search where account_id = $1", [
        fromApiId("account", accountId),
      ]);
    assert.equal((await kept()).length, 1);
    const everybody = await page(stage, {});
    const idOf = (name: string) =>
      (everybody.find((one) => one.name === name) as unknown as { id: string }).id;
    await Promise.all([
      stage.api.contacts.update(idOf("Alba"), { name: "Zeno", tags: ["new"] }),
      stage.api.contacts.delete(idOf("Bruno")),
      stage.api.contacts.update(idOf("Chiara"), { phone_number: "+14155552009" }),
      stage.api.contacts.bulk({ action: "add_tags", ids: [idOf("Dario")], tags: ["new"] }),
      importAll(stage, [{ phone_number: "+12065552004", company: "Quill" }]),
    ]);
    await hideBehindEmptyRows(stage);
    const found = async (query: Record<string, string>) =>
      (await page(stage, query)).map((one) => one.name);
    for (const gone of ["alba", "bruno", "2065552001", "2065552002"]) {
      assert.deepEqual(await found({ q: gone }), [], gone);
      assert.ok((await kept()).every(({ text }) => !text.includes(gone)));
    }
    assert.deepEqual(await found({ q: "zeno" }), ["Zeno"]);
    assert.deepEqual(await found({ q: "4155552009" }), ["Chiara"]);
    assert.deepEqual(await found({ q: "quill" }), ["Elio"]);
    assert.deepEqual(await found({ tag: "new" }), ["Dario", "Zeno"]);
    assert.deepEqual(await found({ tag: "old" }), ["Elio", "Dario", "Chiara"]);
    const ids = (await page(stage, {})).map((one) => (one as unknown as { id: string }).id);
    assert.equal((await stage.api.contacts.bulk({ action: "delete", ids })).applied, 4);
    assert.deepEqual(
      (await kept()).filter(({ text }) => text !== ""),
      [],
    );
  });

  it("refuses invalid filters", async () => {
    const stage = await makeStage(kit());
    const get = (query: string) =>
      kit().request("GET", `/v1/contacts?${query}`, { key: stage.testKey });
    assertProblem(await get("q="), 400, "invalid_request", "q");
    assertProblem(await get(`q=${"x".repeat(101)}`), 400, "invalid_request", "q");
    assertProblem(await get("phone_number=abc"), 400, "invalid_request", "phone_number");
    assertProblem(await get("segment_id=seg_x"), 400, "invalid_request", "segment_id");
    assertProblem(await get("limit=101"), 400, "invalid_request", "limit");
  });
});
