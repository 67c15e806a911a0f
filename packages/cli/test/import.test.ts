import assert from "node:assert/strict";
import { test } from "node:test";
import { LOCAL_TARGETS } from "../../server/testing/hook-receiver.ts";
import { startKit } from "../../server/testing/kit.ts";
import { startTwilio, TWILIO_LOGIN } from "../../server/testing/mock-providers.ts";
import { commandLine } from "./longwave.ts";

test("longwave import shows a preview, imports after confirmation, and never duplicates", async (t) => {
  const mock = await startTwilio(t, {
    numbers: [
      { phone: "+12065560001", url: "https://a.example.com/in" },
      { phone: "+447700900123" },
    ],
    services: [{ id: "MG1", name: "Support", phones: ["+12065560001"] }],
  });
  const kit = await startKit(t, { ...LOCAL_TARGETS, LONGWAVE_IMPORT_TWILIO_URL: mock.url });
  const env = { LONGWAVE_URL: kit.url, LONGWAVE_API_KEY: kit.testKey };
  const cli = commandLine(t, { ...env, TWILIO_AUTH_TOKEN: TWILIO_LOGIN.secret });
  const twilio = ["import", "twilio", "--account-sid", TWILIO_LOGIN.account_sid];
  const made = () => kit.rows("select 1 from port_requests union all select 1 from pools");

  const preview = await cli.run([...twilio, "--preview"]);
  assert.equal(preview.code, 0, preview.stderr);
  assert.match(preview.stdout, /Port requests: 1 would be made, 0 here already, 1 skipped/);
  assert.match(preview.stdout, /skipped \+447700900123: other_country/);
  assert.match(preview.stdout, /Opt-outs are not copied/);
  assert.match(preview.stdout, /^Numbers can stay .*: longwave carriers add twilio takes them/m);
  assert.equal((await made()).length, 0);
  assert.equal((await cli.run(twilio)).code, 2, "nobody can be asked, and nobody said --yes");
  assert.equal((await made()).length, 0);
  const done = await cli.json([...twilio, "--yes"]);
  assert.deepEqual([done.status, done.progress.done], ["complete", 3]);
  assert.equal((await made()).length, 2);
  const again = await cli.run([...twilio, "--yes"]);
  assert.match(again.stdout, /Pools: 0 made, 1 here already/);
  assert.equal((await made()).length, 2);

  assert.equal((await cli.run(["import", "twilio"])).code, 2);
  assert.equal((await cli.run(["import", "nobody"])).code, 2);
  const wrong = commandLine(t, { ...env, TWILIO_AUTH_TOKEN: "wrong" });
  const refused = await wrong.run([...twilio, "--preview"]);
  assert.equal(refused.code, 3);
  assert.match(refused.stderr, /Twilio refused the credentials/);
});
