import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { makeStage } from "../../../testing/example-fixtures.ts";
import { assertProblem } from "../../../testing/problems.ts";
import { suiteKit } from "../../../testing/suite.ts";

describe("exporting contacts", () => {
  const kit = suiteKit();

  it("writes all contacts or a segment in several reads, and escapes spreadsheet formulas", async () => {
    const stage = await makeStage(kit());
    const get = (query = "") =>
      kit().request("GET", `/v1/exports/contacts${query}`, { key: stage.testKey });
    const heading =
      "id,phone_number,name,email,company,tags,attributes,metadata,opt_in_status,opt_in_date,opt_in_source,opted_out,created_at,updated_at";
    assert.equal((await get()).body, `${heading}\r\n`);
    const contacts = Array.from({ length: 500 }, (_, n) => ({
      phone_number: `+1415${2_000_000 + n}`,
      name: `Person ${n}`,
    }));
    await kit().request("POST", "/v1/contacts/import", { key: stage.testKey, body: { contacts } });
    const { body: hostile } = await kit().request("POST", "/v1/contacts", {
      key: stage.testKey,
      body: {
        phone_number: "+14155550123",
        name: '=HYPERLINK("http://x")',
        company: "@SUM(1)",
        tags: ["+cmd", "b"],
        attributes: { k: 'a "quoted", text' },
        opt_in: { status: false, date: "2024-01-01", source: "-list" },
      },
    });
    const answer = await get();
    assert.equal(answer.status, 200);
    assert.match(answer.headers.get("content-type") ?? "", /^text\/csv/);
    const lines = answer.body.split("\r\n");
    assert.equal(lines.length, 1 + 501 + 1);
    assert.equal(
      lines[1],
      `${hostile.id},+14155550123,"'=HYPERLINK(""http://x"")",,'@SUM(1),"'+cmd; b","{""k"":""a \\""quoted\\"", text""}",,false,2024-01-01T00:00:00.000Z,'-list,true,${hostile.created_at},${hostile.updated_at}`,
    );
    const phones = lines.slice(1, -1).map((line: string) => line.split(",")[1]);
    assert.equal(new Set(phones).size, 501);
    const filter = { field: "opted_out", op: "is", value: true } as const;
    const segment = await stage.api.segments.create({ name: "Out", filter });
    const some = await get(`?segment_id=${segment.id}`);
    assert.equal(some.body.split("\r\n").length, 3);
    const countOf = (answer: { body: string }) => answer.body.split("\r\n").length - 2;
    assert.equal(countOf(await get("?q=person%20499")), 1);
    assert.equal(countOf(await get("?tag=b")), 1);
    assert.equal(countOf(await get("?phone_number=%2B14155550123")), 1);
    assertProblem(await get("?segment_id=seg_x"), 400, "invalid_request", "segment_id");
  });
});
