/** Twilio's client for Python, as Debian packages it. */
import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";
import { toTwilioSid } from "@longwave/contract";
import { startKit } from "../../../testing/kit.ts";
import { buy } from "../../../testing/live.ts";

/** Debian's own Python: packages of the distribution are not visible to any other. */
const PYTHON = "/usr/bin/python3";
const FROM = "+14155550100";
const run = promisify(execFile);

const PROGRAM = `
import os, sys
from urllib.parse import urlsplit
from twilio.base.exceptions import TwilioRestException
from twilio.http.http_client import TwilioHttpClient
from twilio.rest import Client

class PointedHere(TwilioHttpClient):
    def request(self, method, url, *args, **kwargs):
        parts = urlsplit(url)
        return super().request(method, os.environ["HERE"] + parts.path + ("?" + parts.query if parts.query else ""), *args, **kwargs)

client = Client(os.environ["SID"], os.environ["TOKEN"], http_client=PointedHere())
sent = client.messages.create(to="+15005550000", from_="${FROM}", body="Hello from Python")
assert sent.sid.startswith("SM") and sent.direction == "outbound-api", sent.direction
assert client.messages(sent.sid).fetch().body == "Hello from Python"
assert [one.sid for one in client.messages.list(to="+15005550000", limit=5)] == [sent.sid]
assert client.incoming_phone_numbers.list(phone_number="${FROM}")[0].phone_number == "${FROM}"
assert client.lookups.v1.phone_numbers("+14155550123").fetch(type="carrier").country_code == "US"
verification = client.verify.services("VA" + os.environ["SID"][2:]).verifications.create(to="+15005550000", channel="sms")
assert verification.status == "pending", verification.status
try:
    client.messages.create(to="nonsense", from_="${FROM}", body="x")
    sys.exit("a wrong number was accepted")
except TwilioRestException as error:
    assert error.code == 21211, error.code
print("done")
`;

function missingClient(): string | false {
  try {
    execFileSync(PYTHON, ["-c", "import twilio"], { stdio: "ignore" });
    return false;
  } catch {
    return "python3-twilio is not installed; run: apt-get install python3-twilio";
  }
}

test("Twilio's client for Python sends, lists, looks up and verifies", {
  skip: missingClient(),
}, async (t) => {
  const kit = await startKit(t, { LONGWAVE_TWILIO_API: "1" });
  await buy(kit, FROM);
  const { body } = await kit.request("GET", "/v1/account");
  const env = {
    HERE: kit.url,
    SID: toTwilioSid("account", kit.account.id),
    TOKEN: body.twilio_auth_token,
  };
  const { stdout } = await run(PYTHON, ["-c", PROGRAM], { env });
  assert.equal(stdout.trim(), "done");
});
