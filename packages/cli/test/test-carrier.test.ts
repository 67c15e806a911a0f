import assert from "node:assert/strict";
import { test } from "node:test";
import { giveNumber } from "../../server/testing/give-number.ts";
import { OPERATOR_TOKEN, startKit } from "../../server/testing/kit.ts";
import { goLive } from "../../server/testing/live.ts";
import { PUBLIC_URL, startDouble } from "../../server/testing/provider-double.ts";
import { until } from "../../server/testing/until.ts";
import { commandLine } from "./longwave.ts";

const FROM = "+14155550100";

test("longwave carriers test sends one message, and reports its receipt or what went wrong", async (t) => {
  const { double, file } = await startDouble(
    t,
    "twilio",
    [{ name: "main", numbers: [FROM] }],
    true,
  );
  const env = { LONGWAVE_CARRIERS: file, LONGWAVE_PUBLIC_URL: PUBLIC_URL };
  const kit = await startKit(t, env);
  double.callbackOrigin = kit.url;
  await goLive(kit, 100);
  await giveNumber(kit, { phone: FROM, mode: "live", senderState: "active" });
  await until(() => kit.deps.carriers.all()[0]?.state().state === "up");
  const access = { LONGWAVE_URL: kit.url, LONGWAVE_OPERATOR_TOKEN: OPERATOR_TOKEN };
  const cli = commandLine(t, { ...access, LONGWAVE_API_KEY: kit.liveKey });

  const done = await cli.run(["carriers", "test", "main", "--to", "+14155552671"]);
  assert.equal(done.code, 0, done.stderr);
  assert.match(done.stdout, /^main \(twilio\) is up\.\n/);
  assert.match(done.stdout, /Receipts come to https:\/\/us\.example\/callbacks\/main\/receipts\n/);
  assert.match(done.stdout, /sent {2}msg_\w+ {2}\+14155550100 → \+14155552671\n(?:.*\n)*delivered/);
  assert.equal(double.messageTo("+14155552671")?.body, "Test of main by Longwave");

  const landline = await cli.run(["carriers", "test", "main", "--to", "+14155559003"]);
  assert.equal(landline.code, 3);
  assert.match(landline.stdout, /failed {2}msg_\w+ .* landline \(dlr:undelivered:30006\)/);

  const unknown = await cli.run(["carriers", "test", "other", "--to", "+14155552671"]);
  assert.equal(unknown.code, 2);
  assert.match(unknown.stderr, /The carriers file has no other\. There are: main\./);
  const sandbox = commandLine(t, { ...access, LONGWAVE_API_KEY: kit.testKey });
  const refused = await sandbox.run(["carriers", "test", "main", "--to", "+14155552671"]);
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /The message is real: give a live key/);
});
