import assert from "node:assert/strict";
import { test } from "node:test";
import { startKitOn } from "../../../testing/kit.ts";
import { CAP, ENV, nextDay, sandboxKit, send } from "../../../testing/own-phone-sends.ts";
import { createTestCarrier } from "../../../testing/test-carrier.ts";

test("two processes together really send 50 sandbox messages a UTC day, and simulate the others", async (t) => {
  const { kit, carrier } = await sandboxKit(t);
  const second = createTestCarrier();
  second.window = 1_000;
  const other = await startKitOn(t, kit.connection, ENV, { carriers: second });
  const answers = await Promise.all(
    Array.from({ length: 80 }, (_, index) => send(index % 2 === 0 ? kit : other, kit.testKey)),
  );
  assert.ok(answers.every(({ status }) => status === 201 || status === 202));
  assert.equal(answers.filter(({ body }) => body.simulated === false).length, CAP);
  await kit.advance(1);
  assert.equal(carrier.submitted.length + second.submitted.length, CAP);
  assert.equal((await send(kit)).body.simulated, true);
  await nextDay(kit);
  assert.equal((await send(kit)).body.simulated, false, "the next day counts anew");
});
