import assert from "node:assert/strict";
import { test } from "node:test";
import { toApiId } from "../../server/src/core/platform/ids.ts";
import { OPERATOR_TOKEN, startKit } from "../../server/testing/kit.ts";
import { PUBLIC_URL, startDouble } from "../../server/testing/provider-double.ts";
import { commandLine } from "./longwave.ts";

const TO = "+14155552671";

test("longwave carriers add takes a provider over, and says what went wrong", async (t) => {
  const { double } = await startDouble(t, "twilio", [], true);
  const kit = await startKit(t, { LONGWAVE_PUBLIC_URL: PUBLIC_URL });
  double.callbackOrigin = kit.url;
  const { account_sid } = double.provider.entry as { account_sid: string };
  const access = {
    LONGWAVE_URL: kit.url,
    LONGWAVE_OPERATOR_TOKEN: OPERATOR_TOKEN,
    LONGWAVE_API_KEY: kit.testKey,
  };
  const secret = double.provider.env["TWILIO_AUTH_TOKEN"] as string;
  const at = [
    "--base-url",
    double.url,
    "--private-address",
    "--name",
    "main",
    "--set",
    `account_sid=${account_sid}`,
  ];
  const cli = commandLine(t, { ...access, TWILIO_AUTH_TOKEN: secret });
  const add = (...more: string[]) => cli.run(["carriers", "add", "twilio", ...at, ...more]);

  const unknown = await cli.run(["carriers", "add", "acme", "--numbers", "all"]);
  assert.equal(unknown.code, 2);
  assert.match(unknown.stderr, /There is no preset acme\. There are: telnyx, twilio, /);
  const blind = await add();
  assert.equal(blind.code, 2);
  assert.match(blind.stderr, /--numbers is missing: give --numbers all/);
  const keyless = commandLine(t, access);
  const missing = await keyless.run(["carriers", "add", "twilio", ...at, "--numbers", "all"]);
  assert.equal(missing.code, 2);
  assert.match(missing.stderr, /is missing: set TWILIO_AUTH_TOKEN\./);
  const wrong = commandLine(t, { ...access, TWILIO_AUTH_TOKEN: "0123456789abcdef" });
  const refused = await wrong.run(["carriers", "add", "twilio", ...at, "--numbers", "all"]);
  assert.equal(refused.code, 3);
  assert.match(refused.stderr, /main refused the credentials\. Check them\./);
  assert.deepEqual(kit.deps.carriers.links(), [], "a wrong key leaves nothing behind");

  const options = ["--numbers", "+14155550101", "--reference", "CMP-1", "--to", TO];
  const done = await add(...options, "--body", "MO:Yes", "--reply", "--json");
  assert.equal(done.code, 0, done.stderr);
  const { entry, numbers, callbacks, message, reply } = JSON.parse(done.stdout);
  assert.deepEqual(entry.variables, ["MAIN_AUTH_TOKEN"]);
  assert.deepEqual(numbers, [
    { phone_number: "+14155550101", is_new: true, sender_state: "active" },
  ]);
  assert.equal(callbacks.inbound, `${PUBLIC_URL}/callbacks/main/inbound`);
  assert.equal(callbacks.is_set, true);
  assert.deepEqual(
    [message.status, message.from, message.carrier],
    ["delivered", "+14155550101", "main"],
  );
  assert.deepEqual([reply.body, reply.from], ["Yes", TO]);
  const held = await kit.operator("GET", "/carriers/main/numbers");
  assert.deepEqual(
    held.body.numbers.map((one: { account_id: string | null }) => one.account_id),
    [null, toApiId("account", kit.account.id)],
  );

  const again = await add(...options);
  assert.equal(again.code, 3);
  assert.match(again.stderr, /already_exists: The carriers file has main already\./);

  const unsure = await cli.run(["carriers", "remove", "main"]);
  assert.equal(unsure.code, 2);
  assert.match(unsure.stderr, /--yes removes main\./);
  const absent = await cli.run(["carriers", "remove", "other", "--yes"]);
  assert.equal(absent.code, 2);
  assert.match(absent.stderr, /The carriers file has no other\. There are: main\./);
  const removed = await cli.run(["carriers", "remove", "main", "--yes"]);
  assert.equal(removed.code, 0, removed.stderr);
  assert.match(removed.stdout, /^main is no longer in \S+carriers\.json\.$/m);
  assert.match(removed.stdout, /^Secrets removed: MAIN_AUTH_TOKEN$/m);
  assert.match(removed.stdout, /remove the webhook https:\S+\/callbacks\/main\/inbound$/m);
  assert.match(removed.stdout, /^Without a carrier now: \+14155550101$/m);
  assert.deepEqual(kit.deps.carriers.links(), []);
});

test("longwave carriers add works without a public address where the provider can be polled", async (t) => {
  const { double } = await startDouble(t, "46elks", [], true);
  const kit = await startKit(t);
  const access = { LONGWAVE_URL: kit.url, LONGWAVE_OPERATOR_TOKEN: OPERATOR_TOKEN };
  const secret = double.provider.env["ELKS46_PASSWORD"] as string;
  const cli = commandLine(t, {
    ...access,
    LONGWAVE_API_KEY: kit.testKey,
    ELKS46_PASSWORD: secret,
  });
  const set = [`user=${double.provider.entry["user"]}`, "poll_seconds=1"].flatMap((one) => [
    "--set",
    one,
  ]);
  const at = [...set, "--base-url", double.url, "--private-address"];
  const first = ["--numbers", "all", "--to", TO, "--body", "MO:Yes", "--reply"];
  const done = await cli.run(["carriers", "add", "46elks", ...at, ...first]);
  assert.equal(done.code, 0, done.stderr);
  assert.match(done.stdout, /are read from the provider every 1 seconds$/m);
  assert.match(done.stdout, /^delivered {2}msg_/m);
  assert.match(done.stdout, /^reply {2}msg_\w+ {2}"Yes"$/m);
});

test("longwave carriers add says that a provider cannot call a server without a public address", async (t) => {
  const kit = await startKit(t);
  const env = { LONGWAVE_URL: kit.url, LONGWAVE_OPERATOR_TOKEN: OPERATOR_TOKEN };
  const { code, stderr } = await commandLine(t, env).run(["carriers", "add", "telnyx"]);
  assert.equal(code, 2);
  assert.match(stderr, /set LONGWAVE_PUBLIC_URL to its public address, and restart it/);
});
