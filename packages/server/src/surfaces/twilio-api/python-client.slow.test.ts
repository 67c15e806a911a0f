/** Programs in Python that Debian packages, unchanged: Twilio's client, and Apprise, through Twilio's host names. */
import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { promisify } from "node:util";
import { buy } from "../../../testing/live.ts";
import { startTwilioHosts } from "../../../testing/twilio-hosts.ts";

/** Debian's own Python: packages of the distribution are not visible to any other. */
const PYTHON = "/usr/bin/python3";
const FROM = "+14155550100";
const TO = "+15005550000";
const run = promisify(execFile);

const PROGRAM = `
import os, sys
from twilio.base.exceptions import TwilioRestException
from twilio.rest import Client

client = Client(os.environ["SID"], os.environ["TOKEN"])
sent = client.messages.create(to="${TO}", from_="${FROM}", body="Hello from Python")
assert sent.sid.startswith("SM") and sent.direction == "outbound-api", sent.direction
assert client.messages(sent.sid).fetch().body == "Hello from Python"
assert [one.sid for one in client.messages.list(to="${TO}", limit=5)] == [sent.sid]
assert client.incoming_phone_numbers.list(phone_number="${FROM}")[0].phone_number == "${FROM}"
assert client.lookups.v1.phone_numbers("+14155550123").fetch(type="carrier").country_code == "US"
verification = client.verify.services("VA" + os.environ["SID"][2:]).verifications.create(to="${TO}", channel="sms")
assert verification.status == "pending", verification.status
try:
    client.messages.create(to="nonsense", from_="${FROM}", body="x")
    sys.exit("a wrong number was accepted")
except TwilioRestException as error:
    assert error.code == 21211, error.code
print("done")
`;

/** Sentence that says which command installs the module, or false. */
function missing(module: string, debian: string): string | false {
  try {
    execFileSync(PYTHON, ["-c", `import ${module}`], { stdio: "ignore" });
    return false;
  } catch {
    return `${debian} is not installed; run: apt-get install --no-install-recommends ${debian}`;
  }
}

/** Folder with a `certifi` that names our bundle: older clients read no variable, only the file of certifi. */
async function certifiFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "lw-certifi-"));
  t.after(() => rm(folder, { recursive: true }));
  const code = 'import os\n\ndef where():\n    return os.environ["REQUESTS_CA_BUNDLE"]\n';
  await writeFile(join(folder, "certifi.py"), code);
  return folder;
}

test("Twilio's client for Python sends, lists, looks up and verifies", {
  skip: missing("twilio", "python3-twilio"),
}, async (t) => {
  const { kit, env } = await startTwilioHosts(t);
  await buy(kit, FROM);
  const options = { env: { ...env, PYTHONPATH: await certifiFolder(t) } };
  const { stdout } = await run(PYTHON, ["-c", PROGRAM], options);
  assert.equal(stdout.trim(), "done");
});

test("Apprise notifies a phone", { skip: missing("apprise", "apprise") }, async (t) => {
  const { kit, env } = await startTwilioHosts(t);
  await buy(kit, FROM);
  const { SID: sid, TOKEN: token } = env;
  const target = `twilio://${sid}:${token}@${FROM}/${TO}`;
  await run("/usr/bin/apprise", ["--body", "The backup failed", target], { env });
  const rows = await kit.rows("select body, mode from messages where to_number = $1", [TO]);
  assert.deepEqual(rows, [{ body: "The backup failed", mode: "test" }]);
});
