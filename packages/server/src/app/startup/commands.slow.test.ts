/** Commands that start no server. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { endOf, startProgram } from "../../../testing/program.ts";
import { temporaryFolder } from "../../../testing/temporary-folder.ts";

test("check-config prints every setting and every mistake, and starts nothing", async (t) => {
  const env = { LONGWAVE_SECRET_KEY: "deadbeef", LONGWAVE_ROLES: "api,cook", LONGWAVE_RATE: "1" };
  const wrong = startProgram(t, { args: ["check-config"], env });
  assert.equal(await endOf(wrong), 1);
  assert.match(wrong.stderr(), /^LONGWAVE_ROLES is "api,cook", but it takes a comma list/m);
  assert.match(wrong.stderr(), /^LONGWAVE_SECRET_KEY is not usable, but it takes 64 hex digits/m);
  assert.match(
    wrong.stderr(),
    /^There is no setting LONGWAVE_RATE\. Remove it, or take the name that docs\/operations\.md has/m,
  );
  assert.ok(!wrong.stderr().includes("deadbeef"), "secrets are not repeated");

  const right = startProgram(t, { args: ["check-config"], env: { PORT: "8080" } });
  assert.equal(await endOf(right), 0);
  assert.match(right.stdout(), /^PORT=8080$/m);
  assert.match(right.stdout(), /^HOST=127\.0\.0\.1 {3}\(default\)$/m);
});

test("an unknown command shows the known ones", async (t) => {
  const unknown = startProgram(t, {
    args: ["migrat"],
    env: { LONGWAVE_DATA: await temporaryFolder(t) },
  });
  assert.equal(await endOf(unknown), 2);
  assert.match(unknown.stderr(), /check-config/);
});
