/** From an empty folder to a delivered message and a reply: three commands. */
import assert from "node:assert/strict";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { freePort } from "../../server/testing/free-port.ts";
import { startProgram } from "../../server/testing/program.ts";
import { READY } from "../../server/testing/restore-drill.ts";
import { temporaryFolder } from "../../server/testing/temporary-folder.ts";
import { commandLine } from "./longwave.ts";

test("a new user reaches a phone, and hears from it, in three commands", async (t) => {
  const data = await temporaryFolder(t);
  const PORT = String(await freePort());
  // 1. The server.
  const env = { LONGWAVE_DATA: data, PORT, LONGWAVE_PUBLIC_URL: `http://127.0.0.1:${PORT}` };
  await startProgram(t, { env }).says(READY);
  // 2. The provider.
  const mock = startProgram(t, { args: ["mock", "telnyx", "--port", "0"] });
  const [line = ""] = await mock.says(/^TELNYX.* longwave carriers add .*$/m);
  // 3. The command that it prints, with a message that the phone answers.
  const [, assignments = "", given = ""] = /^(.*) longwave (.*)$/.exec(line) ?? [];
  const secrets = Object.fromEntries(
    [...assignments.matchAll(/(\w+)='([^']*)'/g)].map(([, name, value]) => [name, value]),
  );
  const cli = commandLine(t, { LONGWAVE_DATA: data, ...secrets });
  const more = ["--numbers", "all", "--body", "MO: It works", "--reply"];
  const { code, stdout, stderr } = await cli.run([...given.split(" "), ...more]);
  assert.equal(code, 0, `${stdout}\n${stderr}`);
  assert.match(stdout, /^telnyx is in \S+carriers\.json, and its key works\.$/m);
  assert.match(stdout, /^\+14155550100 is taken over by Default: active$/m);
  assert.match(stdout, /^delivered {2}msg_/m);
  assert.match(stdout, /^reply {2}msg_\w+ {2}"It works"$/m);

  const file = await readFile(join(data, "carriers.json"), "utf8");
  assert.ok(!file.includes(secrets["TELNYX_API_KEY"] ?? "?"), "no secret is in the file");
  assert.equal((await stat(join(data, "carriers.env"))).mode & 0o777, 0o600);
});
