import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createVisitors } from "../../testing/console-users.ts";
import { suiteKit } from "../../testing/suite.ts";
import { until } from "../../testing/until.ts";

describe("contents of refused requests in the request log", () => {
  const kit = suiteKit();
  const { call, asOwner } = createVisitors(kit);

  async function logged(mode: "test" | "live", key: string, path: string, body: unknown) {
    const { cookie, account } = await asOwner();
    const answer = await kit().request("POST", path, { key, body });
    const id = answer.headers.get("x-request-id");
    const find = async () =>
      (await call("GET", `/${account}/${mode}/requests?request_id=${id}`, { cookie })).body.data[0];
    await until(async () => (await find()) !== undefined);
    return { answer, entry: await find() };
  }

  it("the sandbox keeps the error and both bodies, without secrets", async () => {
    const body = {
      to: "not a phone",
      from: "+15005550100",
      body: "Hi",
      metadata: { token: "t0p" },
    };
    const { answer, entry } = await logged("test", kit().testKey, "/v1/messages", body);
    assert.equal(answer.status, 400);
    const { error } = answer.body;
    assert.deepEqual([entry.param, entry.message], [error.param, error.message]);
    assert.deepEqual(JSON.parse(entry.body), { ...body, metadata: { token: "[redacted]" } });
    assert.deepEqual(JSON.parse(entry.answer), answer.body);
    const { cookie, account } = await asOwner();
    const list = await call("GET", `/${account}/test/requests?status=4xx`, { cookie });
    assert.equal(list.body.data[0].message, error.message);
    assert.equal("body" in list.body.data[0], false);
  });

  it("live keeps the error alone, and an accepted request keeps nothing", async () => {
    const live = await logged("live", kit().liveKey, "/v1/messages", { to: "nobody" });
    assert.equal(live.answer.status, 403);
    assert.equal(live.entry.message, live.answer.body.error.message);
    assert.deepEqual([live.entry.body, live.entry.answer], [null, null]);
    const tag = { name: "News", default: "subscribed" };
    const taken = await logged("test", kit().testKey, "/v1/topics", tag);
    assert.equal(taken.answer.status, 201, JSON.stringify(taken.answer.body));
    const { param, message, body, answer } = taken.entry;
    assert.deepEqual([param, message, body, answer], [null, null, null, null]);
  });
});
