import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { makeStage, type Stage } from "../../../testing/example-fixtures.ts";
import { assertProblem } from "../../../testing/problems.ts";
import { suiteKit } from "../../../testing/suite.ts";
import { fromApiId } from "../../core/platform/ids.ts";
import { unsubscribedAmong } from "./index.ts";

const ADA = "+14155550123";
const BOB = "+14155550124";
const CAT = "+14155550125";

describe("topics", () => {
  const kit = suiteKit();
  const ask = (stage: Stage, method: string, path: string, body?: unknown) =>
    kit().request(method, `/v1${path}`, { key: stage.testKey, body });

  it("are created, changed, listed and deleted", async () => {
    const stage = await makeStage(kit());
    const made = await ask(stage, "POST", "/topics", { name: "Offers", description: "Weekly." });
    assert.equal(made.status, 201);
    assert.deepEqual(made.body, {
      ...made.body,
      object: "topic",
      name: "Offers",
      description: "Weekly.",
      default: "subscribed",
    });
    const path = `/topics/${made.body.id}`;
    const changed = await ask(stage, "PATCH", path, { description: null, default: "unsubscribed" });
    assert.deepEqual(changed.body, { ...made.body, description: null, default: "unsubscribed" });
    assert.deepEqual((await ask(stage, "GET", path)).body, changed.body);
    assert.deepEqual((await ask(stage, "GET", "/topics")).body.data, [changed.body]);
    assertProblem(
      await ask(stage, "POST", "/topics", { name: "x".repeat(51) }),
      400,
      "invalid_request",
      "name",
    );
    assertProblem(
      await ask(stage, "POST", "/topics", { name: "x", default: "maybe" }),
      400,
      "invalid_request",
      "default",
    );
    const other = await makeStage(kit());
    assertProblem(await ask(other, "GET", path), 404, "not_found");
    assert.deepEqual((await ask(stage, "DELETE", path)).body, changed.body);
    assertProblem(await ask(stage, "GET", path), 404, "not_found");
    assertProblem(
      await ask(stage, "POST", `${path}/subscriptions`, { phone_number: ADA, subscribed: true }),
      404,
      "not_found",
    );
    assert.deepEqual((await ask(stage, "GET", "/topics")).body.data, []);
  });

  it("store the choice of each number; the default applies to the rest", async () => {
    const stage = await makeStage(kit());
    const topic = await stage.api.topics.create({ name: "Offers" });
    const subscribe = (phone_number: string, subscribed: boolean) =>
      ask(stage, "POST", `/topics/${topic.id}/subscriptions`, { phone_number, subscribed });
    const first = await subscribe("(415) 555-0123", false);
    assert.equal(first.status, 201);
    assert.deepEqual(first.body, {
      ...first.body,
      object: "topic_subscription",
      topic_id: topic.id,
      phone_number: ADA,
      subscribed: false,
    });
    assert.equal((await subscribe(BOB, true)).status, 201);
    assert.equal((await subscribe(ADA, false)).status, 200);
    const list = async (query = "") =>
      (await ask(stage, "GET", `/topics/${topic.id}/subscriptions${query}`)).body.data.map(
        (one: { phone_number: string }) => one.phone_number,
      );
    assert.deepEqual(await list(), [BOB, ADA]);
    assert.deepEqual(await list("?subscribed=false"), [ADA]);
    assert.deepEqual(await list("?phone_number=4155550124"), [BOB]);
    const id = fromApiId("topic", topic.id) ?? "";
    const [account] = await kit().rows("select id, shard from accounts where id = $1", [
      fromApiId("account", stage.accountId),
    ]);
    const left = async () => await unsubscribedAmong(kit().deps.db, account, id, [ADA, BOB, CAT]);
    assert.deepEqual(await left(), new Set([ADA]));
    await ask(stage, "PATCH", `/topics/${topic.id}`, { default: "unsubscribed" });
    assert.deepEqual(await left(), new Set([ADA, CAT]));
    await ask(stage, "DELETE", `/topics/${topic.id}`);
    assert.deepEqual(await left(), new Set([ADA, CAT]), "subscriptions outlive the topic");
    assertProblem(await subscribe("12", true), 400, "invalid_request", "phone_number");
  });
});
