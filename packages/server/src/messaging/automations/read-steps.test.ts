import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { choice } from "../../../testing/automations.ts";
import { assertProblem } from "../../../testing/problems.ts";
import { suiteKit } from "../../../testing/suite.ts";

describe("the steps of an automation", () => {
  const kit = suiteKit();
  const create = (step: object) => {
    const body = { name: "Steps", trigger: { event: "signed_up" }, steps: [step] };
    return kit().request("POST", "/v1/automations", { body });
  };

  it("treat null as an absent field, at every depth", async () => {
    const vip = { field: "tag", op: "is", value: "vip" };
    const nothing = { until: null, on_timeout: null, from: null, tags: null };
    const taken: [given: object, read: object][] = [
      [
        { type: "wait", seconds: 5, ...nothing },
        { type: "wait", seconds: 5 },
      ],
      [
        { type: "wait", seconds: null, until: { time: "09:00", timezone: null, event: null } },
        { type: "wait", until: { time: "09:00", timezone: "contact" } },
      ],
      [
        { type: "wait", until: { event: "paid", seconds: 60, time: null }, on_timeout: null },
        { type: "wait", until: { event: "paid", seconds: 60 } },
      ],
      [
        { ...choice(vip, [{ type: "exit", name: null }]), else: null },
        { ...choice(vip, [{ type: "exit" }]), else: [] },
      ],
    ];
    for (const [given, read] of taken) {
      const answer = await create(given);
      assert.equal(answer.status, 201, JSON.stringify(answer.body));
      assert.deepEqual(answer.body.steps, [read]);
    }
  });

  it("require their fields and refuse unknown ones", async () => {
    const refused = async (step: object, param: string) =>
      assertProblem(await create(step), 400, "invalid_request", param);
    await refused({ type: "wait", seconds: null, until: null }, "steps[0].seconds");
    await refused({ type: "event", name: null }, "steps[0].name");
    await refused({ type: "exit", reason: null }, "steps[0].reason");
    await refused({ type: "wait", until: { time: null } }, "steps[0].until.time");
    await refused({ type: null }, "steps[0].type");
  });
});
