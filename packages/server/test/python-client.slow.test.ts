/** The Python client against the server, with the Python of the distribution. */
import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { createHmac } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { signStandard } from "@longwave/contract";
import { giveNumber } from "../testing/give-number.ts";
import { createHook, LOCAL_TARGETS, startHookReceiver } from "../testing/hook-receiver.ts";
import { OPERATOR_TOKEN, startKit } from "../testing/kit.ts";
import { ROOT } from "../testing/source-process.ts";

/** Generators are no part of the tests' bundle. */
const FROM_SOURCE = ["--import", "tsx", "--conditions=@longwave/source"];
const FOLDER = mkdtempSync(join(tmpdir(), "lw-python-"));
const FROM = "+14155550100";
const run = promisify(execFile);

function missingPython(): string | false {
  try {
    const newEnough = "import sys; sys.exit(sys.version_info < (3, 11))";
    execFileSync("python3", ["-c", newEnough], { stdio: "ignore" });
    return false;
  } catch {
    return "Python 3.11 is not installed; run: apt-get install python3";
  }
}

async function python(program: string, env: Record<string, string> = {}): Promise<void> {
  const paths = { PATH: process.env["PATH"] ?? "", PYTHONPATH: FOLDER };
  const settings = { ...paths, PYTHONDONTWRITEBYTECODE: "1", ...env };
  const { stdout } = await run("python3", ["-W", "error", "-c", program], { env: settings });
  assert.equal(stdout.trim(), "done");
}

const skip = missingPython();

before(async () => {
  const program = join(ROOT, "scripts/build-python.ts");
  await run(process.execPath, [...FROM_SOURCE, program, FOLDER], { cwd: ROOT });
});
after(() => rmSync(FOLDER, { recursive: true, force: true }));

test("the wheel imports by itself, and holds what the source distribution holds", (t) => {
  const out = mkdtempSync(join(FOLDER, "packed-"));
  const packing = `
import { MISSING, packPython, pythonWithTools } from "./scripts/pack/python.mjs";
console.log(JSON.stringify({ MISSING, python: pythonWithTools(), files: packPython(process.argv[1]) }));`;
  const given = ["--input-type=module", "-e", packing, out];
  const packed = JSON.parse(String(execFileSync(process.execPath, given, { cwd: ROOT })));
  const files: string[] = packed.files;
  if (files.length === 0) return t.skip(packed.MISSING);
  assert.deepEqual(
    files.map((path) => basename(path).replace(/\d+\.\d+\.\d+/, "V")),
    ["longwave-V.tar.gz", "longwave-V-py3-none-any.whl"],
  );
  const [source = "", wheel = ""] = files;
  const program = `
import sys, tarfile, zipfile
sys.path.insert(0, "${wheel}")
import longwave
assert longwave.__file__.startswith("${wheel}"), longwave.__file__
assert hasattr(longwave.Longwave, "__init__") and hasattr(longwave, "AsyncLongwave")
wheel = {name for name in zipfile.ZipFile("${wheel}").namelist() if name.startswith("longwave/")}
source = {name.split("/", 1)[1] for name in tarfile.open("${source}").getnames() if "/longwave/" in name}
assert wheel == source, wheel ^ source
assert "longwave/py.typed" in wheel
print("done")`;
  const settings = { PATH: process.env["PATH"] ?? "", PYTHONDONTWRITEBYTECODE: "1" };
  const printed = execFileSync(packed.python, ["-c", program], { env: settings });
  assert.equal(String(printed).trim(), "done");
});

for (const page of ["clients/python/README.md", "docs/guides/another-project.md"]) {
  test(`the first Python of ${page} runs`, { skip }, async (t) => {
    const kit = await startKit(t);
    await giveNumber(kit);
    const [, block = ""] =
      /^```python\n([\s\S]*?)^```/m.exec(readFileSync(join(ROOT, page), "utf8")) ?? [];
    assert.match(block, /^print\(message\["\w+"\]\)$/m);
    const code = block
      .replace("svc_sk_test_…", kit.testKey)
      .replace("https://longwave.example.com", kit.url)
      .replace(/^print\((.*)\)$/m, "assert $1 in (message['id'], 'sent', 'delivered'), message");
    const env = { LONGWAVE_URL: kit.url, LONGWAVE_API_KEY: kit.testKey };
    await python(`${code}\nprint("done")`, env);
    assert.equal((await kit.api.messages.list()).data.length, 1);
  });
}

test("the Python client sends, lists, waits for events and names errors", { skip }, async (t) => {
  const kit = await startKit(t);
  await giveNumber(kit, { phone: FROM });
  const program = `
import asyncio, itertools
from longwave import ApiError, AsyncLongwave, AuthenticationError, BadRequestError, CallOptions, Longwave, NotFoundError

client = Longwave()
assert client.account.get()["object"] == "account"
listener = client.events.wait()
text = dict(to="+15005550000", from_="${FROM}", body="Grüße")
sent = client.messages.send(**text, metadata={"order": "7"}, options=CallOptions(idempotency_key="once"))
again = client.messages.send(**text, metadata={"order": "7"}, options=CallOptions(idempotency_key="once"))
assert sent["id"] == again["id"] and sent["body"] == "Grüße"
for number in range(4):
    client.messages.send(to="+15005550000", from_="${FROM}", body=f"No. {number}")
bodies = [one["body"] for one in client.messages.list(limit=2)]
assert bodies == ["No. 3", "No. 2", "No. 1", "No. 0", "Grüße"], bodies
page = client.messages.list(limit=2)
assert len(page.data) == 2 and page.has_more
assert [one["id"] for one in client.messages.list(metadata={"order": "7"})] == [sent["id"]]
assert client.messages.get(sent["id"])["id"] == sent["id"]
event = next(client.listen(cursor=listener["cursor"], types={"message.sent"}, wait_seconds=5))
assert event["data"]["message_id"] == sent["id"], event
made = client.webhooks.create(url="https://example.com/in", description="x")
assert client.webhooks.update(made["id"], description=None)["description"] is None
assert client.webhooks.update(made["id"], active=False)["description"] is None
assert b"No. 3" in client.exports.messages()
assert len(client.operator.accounts.list(limit=1).data) == 1

def refused(kind, call):
    try:
        call()
    except kind as error:
        assert isinstance(error, ApiError) and error.request_id, error
        return error
    raise AssertionError("it was not refused")

assert refused(BadRequestError, lambda: client.messages.send(to="x", from_="${FROM}", body="x")).param == "to"
assert refused(NotFoundError, lambda: client.messages.get("msg_none")).code == "not_found"
assert refused(AuthenticationError, lambda: Longwave("svc_sk_test_wrong").account.get()).status == 401

async def main():
    several = AsyncLongwave()
    answers = await asyncio.gather(*(several.messages.get(sent["id"]) for _ in range(3)))
    assert {one["id"] for one in answers} == {sent["id"]}
    assert [one["body"] async for one in await several.messages.list(limit=2)] == bodies
    async for event in several.listen(cursor=listener["cursor"], wait_seconds=5):
        assert event["mode"] == "test"
        break
asyncio.run(main())
print("done")
`;
  await python(program, {
    LONGWAVE_URL: `${kit.url}/v1/`,
    LONGWAVE_API_KEY: kit.testKey,
    LONGWAVE_OPERATOR_TOKEN: OPERATOR_TOKEN,
  });
  const sent = await kit.rows("select 1 from messages where body = 'Grüße'");
  assert.equal(sent.length, 1);
});

test("the Python client retries with one idempotency key, and not in vain", { skip }, async () => {
  await python(`
import json, threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from longwave import ConnectionFailed, Longwave, LongwaveError, ServerError

seen = []
statuses = [503, 429, 201, 502, 302]

class Server(BaseHTTPRequestHandler):
    def do_POST(self):
        status = statuses[len(seen)]
        seen.append(self.headers["idempotency-key"])
        code = "carrier_error" if status == 502 else "unavailable"
        body = json.dumps({"id": "msg_1", "error": {"code": code, "message": "Later."}}).encode()
        self.send_response(status)
        self.send_header("content-length", str(len(body)))
        self.send_header("location", "http://127.0.0.1:1/elsewhere")
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *_):
        pass

server = HTTPServer(("127.0.0.1", 0), Server)
threading.Thread(target=server.serve_forever, daemon=True).start()
here = f"http://127.0.0.1:{server.server_port}"
client = Longwave("key", base_url=here, retry_delays=(0.01, 0.01))
send = lambda: client.messages.send(to="+1", from_="+1", body="x")
assert send()["id"] == "msg_1"
assert len(seen) == 3 and len(set(seen)) == 1 and seen[0], seen
try:
    send()
    raise AssertionError("the carrier's refusal is final")
except ServerError as error:
    assert error.code == "carrier_error" and len(seen) == 4, seen
try:
    send()
    raise AssertionError("a redirect is followed")
except LongwaveError as error:
    assert error.status == 302, error
server.shutdown()
server.server_close()
try:
    send()
    raise AssertionError("nobody listens")
except ConnectionFailed:
    pass
for wrong in ("ftp://x", "http://user:secret@x", "x"):
    try:
        Longwave("key", base_url=wrong)
        raise AssertionError(wrong)
    except LongwaveError as error:
        assert "secret" not in str(error)
try:
    client.messages.get("..")
    raise AssertionError("a path is left")
except ValueError:
    pass
print("done")
`);
});

test("the Python client names an answer that is no JSON, and listens on after it", {
  skip,
}, async () => {
  await python(`
import asyncio, json, threading
from http.server import BaseHTTPRequestHandler, HTTPServer
import longwave._client
from longwave import AsyncLongwave, Longwave, LongwaveError, UnreadableAnswer

longwave._client.PAUSES_SECONDS = (0.01,)
event = {"id": "evt_1", "type": "message.sent"}
page = json.dumps({"data": [event], "cursor": "c2"}).encode()
answers = []

class Server(BaseHTTPRequestHandler):
    def do_GET(self):
        body = answers.pop(0)
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *_):
        pass

server = HTTPServer(("127.0.0.1", 0), Server)
threading.Thread(target=server.serve_forever, daemon=True).start()
here = f"http://127.0.0.1:{server.server_port}"
client = Longwave("key", base_url=here)
for broken in (b"<html>Back soon</html>", b"", b"\\xff{"):
    answers[:] = [broken]
    try:
        client.account.get()
        raise AssertionError(broken)
    except UnreadableAnswer as error:
        assert isinstance(error, LongwaveError) and "/v1/account" in str(error), error
answers[:] = [b"<html>", page]
assert next(client.listen(cursor="c1"))["id"] == "evt_1"

async def main():
    answers[:] = [b"<html>", page]
    async for one in AsyncLongwave("key", base_url=here).listen(cursor="c1"):
        assert one["id"] == "evt_1"
        break
asyncio.run(main())
print("done")
`);
});

test("the Python client verifies a webhook as the server sends it", { skip }, async (t) => {
  const receiver = await startHookReceiver(t);
  const kit = await startKit(t, LOCAL_TARGETS);
  const { id, secret } = await createHook(kit, receiver.url("/python"));
  await kit.request("POST", `/v1/webhooks/${id}/test`);
  const [received] = await receiver.got("/python", 1);
  const HEADERS = JSON.stringify(received?.headers);
  await python(
    `
import json, os
from longwave import webhooks

headers = json.loads(os.environ["HEADERS"])
now = int(headers["webhook-timestamp"])
event = webhooks.verify(os.environ["BODY"], headers, os.environ["SECRET"], now=now)
assert (event["type"], event["id"]) == ("test.ping", headers["webhook-id"])
print("done")
`,
    { SECRET: secret, BODY: received?.text ?? "", HEADERS },
  );
});

test("the Python client accepts this server's signatures alone", { skip }, async () => {
  const secret = `whsec_${Buffer.from("a key of thirty-two bytes length").toString("base64")}`;
  const body = '{"id":"evt_1","type":"test.ping"}';
  const hmac = (key: Uint8Array, data: Uint8Array) =>
    createHmac("sha256", key).update(data).digest();
  const delivery = { secret, id: "evt_1", timestampSeconds: 1_000, body };
  await python(
    `
import os
from longwave import WebhookVerificationError, webhooks

secret, body = os.environ["SECRET"], os.environ["BODY"]
headers = {"Webhook-Id": "evt_1", "Webhook-Timestamp": "1000", "Webhook-Signature": os.environ["SIGNATURE"]}
assert webhooks.verify(body, headers, secret, now=1300)["type"] == "test.ping"
assert webhooks.verify(body.encode(), {**headers, "Webhook-Signature": "v1,b2xk " + os.environ["SIGNATURE"]}, secret, now=900)
for wrong in (
    dict(body=body + " "),
    dict(headers={**headers, "Webhook-Id": "evt_2"}),
    dict(headers={**headers, "Webhook-Timestamp": "1e3"}),
    dict(headers={**headers, "Webhook-Signature": "v1,é"}),
    dict(headers={}),
    dict(secret="whsec_eHh4"),
    dict(secret="whsec_?"),
    dict(now=1301),
):
    try:
        webhooks.verify(**{"body": body, "headers": headers, "secret": secret, "now": 1000, **wrong})
        raise AssertionError(wrong)
    except WebhookVerificationError:
        pass
print("done")
`,
    { SECRET: secret, BODY: body, SIGNATURE: signStandard(delivery, hmac) },
  );
});
