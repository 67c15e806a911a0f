import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { before, describe, it } from "node:test";
import { giveNumber } from "../../../testing/give-number.ts";
import { OPERATOR_TOKEN } from "../../../testing/kit.ts";
import { assertProblem } from "../../../testing/problems.ts";
import { suiteKit } from "../../../testing/suite.ts";
import { until } from "../../../testing/until.ts";

const HEADER = "npa_nxx,line_type,carrier,locality,region";
const FILE = `${HEADER}\r\n415555,mobile,"Example, Wireless",San Francisco,CA\r\n212555,landline,Bell,,\n`;

describe("numbering data", () => {
  const kit = suiteKit();
  before(() => giveNumber(kit()));
  const load = (body: string, headers = {}, type = "text/csv") =>
    kit().request("POST", "/operator/v1/numbering", { key: OPERATOR_TOKEN, body, headers, type });
  const lookUp = async (phone: string) => {
    const { body } = await kit().request("GET", `/v1/lookup/${encodeURIComponent(phone)}`);
    return [body.line_type, body.carrier?.name ?? null, body.ported, body.source];
  };
  const ranges = async () => {
    const rows = await kit().rows(
      "select r.npa_nxx, l.loaded_at is not null as counts from numbering_ranges r join numbering_loads l on l.id = r.load_id order by 1",
    );
    return rows.map((row) => (row.counts ? row.npa_nxx : `staged ${row.npa_nxx}`));
  };

  it("loads from a file, and lookups, imports, batches and stock use it", async () => {
    assert.deepEqual(await lookUp("+14155550123"), ["unknown", null, null, "numbering_plan"]);
    const loaded = await load(FILE);
    assert.deepEqual([loaded.status, loaded.body], [200, { object: "numbering", rows: 2 }]);
    const mobile = ["mobile", "Example, Wireless", null, "numbering_data"];
    assert.deepEqual(await lookUp("+14155550123"), mobile);
    assert.deepEqual(await lookUp("+12125550123"), ["landline", "Bell", null, "numbering_data"]);
    assert.deepEqual(await lookUp("+13125550123"), ["unknown", null, null, "numbering_plan"]);
    assert.equal((await lookUp("+15005550007"))[3], "sandbox");

    const contacts = [{ phone_number: "+12125550123" }, { phone_number: "+14155550123" }];
    const dry = { dry_run: true, check_line_types: true };
    const preview = await kit().request("POST", "/v1/contacts/import", {
      body: { contacts, ...dry },
    });
    assert.deepEqual([preview.body.summary.landlines, preview.body.summary.valid], [1, 1]);
    const recipients = contacts.map(({ phone_number }) => ({ to: phone_number }));
    const batch = await kit().request("POST", "/v1/batches", {
      body: { from: "+15005550100", body: "Hello", recipients, ...dry },
    });
    assert.deepEqual([batch.body.landlines, batch.body.valid], [1, 1]);
    const code = await kit().request("POST", "/v1/verify", { body: { phone: "+12125550123" } });
    assertProblem(code, 403, "verification_blocked");

    const numbers = [
      { phone_number: "+14155550177", type: "local" },
      { phone_number: "+14155550178", type: "local", locality: "Oakland" },
    ];
    await kit().operator("POST", "/inventory", { numbers });
    const stock = await kit().operator("GET", "/inventory");
    assert.deepEqual(
      stock.body.data.map((number: { locality: string; region: string }) => [
        number.locality,
        number.region,
      ]),
      [
        ["Oakland", "CA"],
        ["San Francisco", "CA"],
      ],
    );
  });

  it("replaces the whole file or nothing, and names the wrong line", async () => {
    await load(FILE);
    const wrong: [file: string, line: number, param: string | null][] = [
      ["", 1, null],
      ["npa_nxx,line_type\n", 1, null],
      [`${HEADER}\n206555,mobile,A,B,C\n\n206556,teapot,A,B,C\n`, 4, "line_type"],
      [`${HEADER}\n206555,mobile,A,B\n`, 2, null],
      [`${HEADER}\n20655,mobile,A,B,C\n`, 2, "npa_nxx"],
      [`${HEADER}\n106555,mobile,A,B,C\n`, 2, "npa_nxx"],
      [`${HEADER}\n206555,mobile,,,\n206555,mobile,,,\n`, 3, "npa_nxx"],
      [`${HEADER}\n206555,mobile,"A,B,C\n`, 2, null],
      [`${HEADER}\n206555,mobile,${"x".repeat(121)},,\n`, 2, "carrier"],
    ];
    for (const [file, line, param] of wrong.slice(1)) {
      const answer = await load(file);
      assertProblem(answer, 400, "invalid_request", param ?? undefined);
      assert.match(answer.body.error.message, new RegExp(`^Line ${line} is wrong: `));
    }
    assertProblem(await load(""), 400, "invalid_request");
    assertProblem(await load("\n"), 400, "invalid_request");
    assertProblem(await load(FILE, {}, "application/json"), 415, "unsupported_media_type");
    assertProblem(await load(FILE, {}, "text/csv; charset=latin1"), 415, "unsupported_media_type");
    assert.deepEqual(await ranges(), [212555, 415555]);
    const other = await load(`\ufeff${HEADER}\n206555,voip,,,`, {}, "text/csv; charset=utf-8");
    assert.equal(other.body.rows, 1);
    assert.deepEqual(await ranges(), [206555]);
    assert.equal((await lookUp("+14155550123"))[0], "unknown");
    assert.equal((await load(HEADER)).body.rows, 0);
    assert.deepEqual(await ranges(), []);
  });

  it("loads a key's file once, and never restores an older one", async () => {
    const older = { "idempotency-key": "numbering-1" };
    const first = await load(FILE, older);
    await load(`${HEADER}\n206555,voip,,,`);
    const replay = await load(FILE, older);
    assert.equal(replay.headers.get("idempotent-replayed"), "true");
    assert.deepEqual(replay.body, first.body);
    assert.deepEqual(await ranges(), [206555]);
    assertProblem(await load(HEADER, older), 409, "idempotency_conflict");
    assert.deepEqual(await ranges(), [206555]);
    const [actions] = await kit().rows(
      "select count(*)::int as count from audit_log where action = 'numbering.loaded'",
    );
    const both = { "idempotency-key": "numbering-2" };
    const answers = await Promise.all([load(FILE, both), load(FILE, both)]);
    assert.deepEqual(
      answers.map((answer) => answer.status),
      [200, 200],
    );
    const [after] = await kit().rows(
      "select count(*)::int as count from audit_log where action = 'numbering.loaded'",
    );
    assert.equal(after.count, actions.count + 1);
    assert.deepEqual(await ranges(), [212555, 415555]);
  });

  it("an aborted upload changes and leaves nothing; a too large file is refused", async () => {
    await load(`${HEADER}\n206555,voip,,,`);
    const { hostname, port } = new URL(kit().url);
    const begin = (bytes: number) => {
      const line = connect(Number(port), hostname);
      line.write(
        `POST /operator/v1/numbering HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${OPERATOR_TOKEN}\r\ncontent-type: text/csv\r\ncontent-length: ${bytes}\r\n\r\n${FILE}`,
      );
      return line;
    };
    const socket = begin(10_000_000);
    // Rows are stored when their chunk is full, so the test sees only its own load.
    const open = async () =>
      (await kit().rows("select id from numbering_loads where loaded_at is null")).length;
    await until(async () => (await open()) === 1);
    socket.destroy();
    await until(async () => (await open()) === 0);
    assert.deepEqual(await ranges(), [206555]);

    const lines = [HEADER];
    for (let npa = 200; npa < 225; npa += 1) {
      for (let nxx = 200; nxx < 1_000; nxx += 1) lines.push(`${npa}${nxx},mobile,Wireless,City,NY`);
    }
    const file = `${lines.join("\n")}\n`;
    const loaded = await load(file);
    assert.equal(loaded.body.rows, 20_000);
    const large = begin(64 * 1024 * 1024 + 1);
    const [answer] = await once(large, "data");
    large.destroy();
    assert.match(String(answer), /^HTTP\/1\.1 413 /);
    assert.equal((await ranges()).length, 20_000);
  });
});
