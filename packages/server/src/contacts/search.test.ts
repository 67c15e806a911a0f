import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { makeStage, type Stage } from "../../testing/example-fixtures.ts";
import { assertProblem } from "../../testing/problems.ts";
import { suiteKit } from "../../testing/suite.ts";

interface Person {
  readonly phone_number: string;
  readonly name: string | null;
  readonly email: string | null;
  readonly company: string | null;
  readonly tags: readonly string[];
}

/** What `q` means, said plainly. */
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

  it("finds exactly who has the part, in any case, on every page, newest first", async () => {
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
          assert.deepEqual(await page(stage, { q: asked }, 3), expected);
          const vips = everybody.filter((one) => one.tags.includes("vip"));
          assert.deepEqual(await page(stage, { tag: "Vip" }, 2), vips);
          assert.deepEqual(
            await page(stage, { tag: "vip", q: asked }),
            vips.filter((one) => isMeant(one, asked)),
          );
        },
      ),
      { numRuns: 25 },
    );
  });

  it("what is rare is found by the index, far behind the newest", async () => {
    const stage = await makeStage(kit());
    const rare = [
      { phone_number: "+12065550101", name: "Quetzal Xylo", tags: ["rare"] },
      { phone_number: "+12065550102", email: "qx@example.org", company: "Zyx" },
      { phone_number: "+12065550103", name: "Qx Ω" },
    ];
    await importAll(stage, rare);
    await importAll(
      stage,
      Array.from({ length: 4_500 }, (_, n) => ({
        phone_number: `+1415${2_000_000 + n}`,
        name: `Ann ${n}`,
      })),
    );
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
    assert.equal((await page(stage, { q: "ann" })).length, 4_500);
  });

  it("refuses what is no filter", async () => {
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
