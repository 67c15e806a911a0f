import assert from "node:assert/strict";
import { test } from "node:test";
import { giveNumber } from "../../server/testing/give-number.ts";
import { LOCAL_TARGETS, startHookReceiver } from "../../server/testing/hook-receiver.ts";
import { startKit } from "../../server/testing/kit.ts";
import { completions } from "../src/completion.ts";
import { createProgram } from "../src/program.ts";
import { commandLine } from "./longwave.ts";

test("trigger makes every sandbox event, and leaves nothing over", async (t) => {
  const kit = await startKit(t, LOCAL_TARGETS);
  await giveNumber(kit);
  const receiver = await startHookReceiver(t);
  await kit.api.webhooks.create({ url: receiver.url("/in"), events: ["test.ping"] });
  const cli = commandLine(t, { LONGWAVE_URL: kit.url, LONGWAVE_API_KEY: kit.testKey });
  const types = completions(createProgram("1"), ["trigger", ""]);
  assert.ok(types.length >= 19);
  for (const type of types) {
    const event = await cli.json(["trigger", type]);
    assert.deepEqual([event.object, event.type], ["event", type]);
  }
  assert.deepEqual(
    receiver.at("/in").map(({ event }) => event.type),
    ["test.ping"],
  );
  assert.deepEqual((await kit.api.automations.list()).data, []);
  assert.deepEqual((await kit.api.schedules.list()).data, []);
});
