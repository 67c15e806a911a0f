import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { EXPORT_ROWS_PER_READ } from "../src/http/api/export-csv.ts";
import { makeStage, type Stage } from "../testing/example-fixtures.ts";
import { assertProblem } from "../testing/problems.ts";
import { suiteKit } from "../testing/suite.ts";
import { until } from "../testing/until.ts";

const FROM = "+15005550100";

describe("exports of messages, events and consent", () => {
  const kit = suiteKit();

  const get = (stage: Stage, path: string) =>
    kit().request("GET", `/v1/exports/${path}`, { key: stage.testKey });
  const linesOf = (text: string) => text.split("\r\n").slice(0, -1);
  const consentOf = (stage: Stage, numbers: object[]) =>
    kit().request("POST", "/v1/consent/import", { key: stage.testKey, body: { numbers } });

  it("writes messages with their failure, and filters them like the list", async () => {
    const stage = await makeStage(kit());
    const send = async (to: string, body: string) =>
      (
        await kit().request("POST", "/v1/messages", {
          key: stage.testKey,
          body: { from: FROM, to, body },
        })
      ).body;
    const sent = await send("+15005550000", "=1+1, and more");
    const { id: failing } = await send("+15005550001", "Hello");
    await until(async () => (await stage.api.messages.get(failing)).status === "failed");
    const answer = await get(stage, "messages");
    assert.equal(answer.status, 200);
    assert.match(answer.headers.get("content-type") ?? "", /^text\/csv/);
    assert.match(answer.headers.get("content-disposition") ?? "", /filename="messages\.csv"/);
    const [heading = "", ...rows] = linesOf(answer.body);
    assert.match(heading, /^id,direction,status,from,to,body,/);
    assert.equal(rows.length, 2);
    assert.match(
      rows[1] ?? "",
      new RegExp(`^${sent.id},outbound,\\w+,\\${FROM},\\+15005550000,"'=1\\+1, and more",1,`),
    );
    const [, failed = "", ...more] = linesOf((await get(stage, "messages?status=failed")).body);
    assert.deepEqual(more, []);
    assert.match(failed, /,outbound,failed,\+15005550100,\+15005550001,Hello,.+,invalid_number,/);
    const one = linesOf(
      (await get(stage, `messages?to=${encodeURIComponent("+15005550001")}`)).body,
    );
    assert.equal(one.length, 2);
    assert.match(one[1] ?? "", /\+15005550001,Hello/);
    const none = linesOf((await get(stage, "messages?from=%2B15005550177")).body);
    assert.equal(none.length, 1);
    assertProblem(
      await get(stage, "messages?created_after=soon"),
      400,
      "invalid_request",
      "created_after",
    );
  });

  it("writes events with their data as JSON", async () => {
    const stage = await makeStage(kit());
    const body = { from: FROM, to: "+15005550000", body: "Hello" };
    const { body: message } = await kit().request("POST", "/v1/messages", {
      key: stage.testKey,
      body,
    });
    const [heading, row = ""] = linesOf((await get(stage, "events?type=message.sent")).body);
    assert.equal(heading, "id,type,mode,created_at,data");
    assert.match(row, /^evt_\w+,message\.sent,test,20\S+Z,"\{""message_id"":/);
    assert.ok(row.includes(message.id));
  });

  it("writes every consent state in several reads, none twice", async () => {
    const stage = await makeStage(kit());
    const rows = Array.from({ length: EXPORT_ROWS_PER_READ }, (_, n) => ({
      phone_number: `+1415${2_000_000 + n}`,
      status: "opted_in",
    }));
    await consentOf(stage, rows);
    await consentOf(stage, [{ phone_number: "+14155550123", status: "opted_out" }]);
    const [heading, ...lines] = linesOf((await get(stage, "consent")).body);
    assert.equal(
      heading,
      "phone_number,customer_id,status,source,match,note,recorded_by,updated_at,basis,expires_at",
    );
    assert.equal(new Set(lines.map((line) => line.split(",")[0])).size, rows.length + 1);
    assert.equal(lines.length, rows.length + 1);
    assert.match(lines[0] ?? "", /^\+14155550123,,opted_out,import,,,key_\w+,20/);
    assert.equal(linesOf((await get(stage, "consent?status=opted_out")).body).length, 2);
  });

  it("shows an account its own rows only", async () => {
    const [one, other] = [await makeStage(kit()), await makeStage(kit())];
    await consentOf(one, [{ phone_number: "+14155550199", status: "opted_out" }]);
    for (const path of ["messages", "consent"]) {
      assert.ok(!(await get(other, path)).body.includes("+14155550199"), path);
    }
  });
});
