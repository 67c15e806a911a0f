import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { accessOf } from "../src/access.ts";
import { callbackFinding } from "../src/doctor.ts";
import { readinessFinding } from "../src/doctor-server.ts";
import { exitCodeOf, isFault } from "../src/exit-codes.ts";
import { printAnswer } from "../src/print.ts";
import { openTerminal, wantsColor } from "../src/terminal.ts";
import { commandLine } from "./longwave.ts";

test("a limit ends with 4, in words and as JSON", async (t) => {
  let asked = 0;
  const server = createServer((_, response) => {
    asked += 1;
    const body = {
      error: {
        code: "quota_exceeded",
        message: "That was all for today.",
        param: null,
        request_id: "req_1",
      },
    };
    // A very long Retry-After ends the retries.
    response.writeHead(429, { "content-type": "application/json", "retry-after": "3600" });
    response.end(JSON.stringify(body));
  }).listen(0, "127.0.0.1");
  t.after(() => server.close());
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const cli = commandLine(t, { LONGWAVE_URL: url, LONGWAVE_API_KEY: "svc_sk_test_1" });
  const { code, stderr } = await cli.run(["account", "get", "--json"]);
  assert.deepEqual([code, JSON.parse(stderr).error.code, asked], [4, "quota_exceeded", 1]);
});

test("the key of a data folder never leaves this machine", () => {
  const folder = mkdtempSync(join(tmpdir(), "lw-access-"));
  try {
    writeFileSync(join(folder, "first-run.json"), JSON.stringify({ test_key: "svc_sk_test_1" }));
    writeFileSync(join(folder, "operator-token"), "token\n");
    const env = { LONGWAVE_DATA: folder, LONGWAVE_CONFIG: join(folder, "config") };
    for (const server of [undefined, "http://localhost:8080", "http://[::1]:1/v1/"]) {
      const { apiKey, operatorToken } = accessOf(server === undefined ? {} : { server }, env);
      assert.deepEqual([apiKey, operatorToken], ["svc_sk_test_1", "token"], server);
    }
    for (const server of [
      "https://example.com",
      "http://127.0.0.1.example.com",
      "http://10.0.0.1",
    ]) {
      const { apiKey, operatorToken } = accessOf({ server }, env);
      assert.deepEqual([apiKey, operatorToken], [undefined, undefined], server);
    }
    assert.throws(() => accessOf({}, { ...env, LONGWAVE_PROFILE: "nobody" }), /no profile nobody/);
    assert.equal(accessOf({}, env).url, "http://127.0.0.1:7670");
    const url = "http://10.0.0.1:8080";
    writeFileSync(join(folder, "listening.json"), JSON.stringify({ url, pid: 1 }));
    const found = accessOf({}, env);
    assert.deepEqual([found.url, found.apiKey], [url, "svc_sk_test_1"], "the server's own address");
    const named = accessOf({ server: "http://10.0.0.1:8081" }, env);
    assert.equal(named.apiKey, undefined, "another port is another server");
    for (const damaged of ["{", "null", '{"url":"nowhere"}']) {
      writeFileSync(join(folder, "listening.json"), damaged);
      assert.equal(accessOf({}, env).url, "http://127.0.0.1:7670");
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("an empty variable counts as unset: the folder's key applies, or a sentence names what is missing", async (t) => {
  const empty = { LONGWAVE_API_KEY: "", LONGWAVE_OPERATOR_TOKEN: "", LONGWAVE_DATA: "" };
  const cli = commandLine(t, empty);
  for (const [args, sentence] of [
    [["messages", "list"], /^There is no API key: run longwave login/],
    [["messages", "list", "--key", ""], /^There is no API key: run longwave login/],
    [["send", "+15005550000", "Hello"], /^There is no API key: run longwave login/],
    [["operator", "carriers", "list"], /^This is a call of the operator, and there is no token/],
  ] as const) {
    const { code, stderr } = await cli.run(args);
    assert.deepEqual([code, stderr.trim().split("\n").length], [2, 1], stderr);
    assert.match(stderr, sentence);
  }
  const folder = join(cli.folder, ".longwave");
  mkdirSync(folder);
  writeFileSync(join(folder, "first-run.json"), JSON.stringify({ test_key: "svc_sk_test_1" }));
  writeFileSync(join(folder, "operator-token"), "token\n");
  const { apiKey, operatorToken } = accessOf({ key: "" }, { ...empty, LONGWAVE_DATA: folder });
  assert.deepEqual([apiKey, operatorToken], ["svc_sk_test_1", "token"]);
});

test("no failure prints a stack, and exit code 1 is for checks alone", async (t) => {
  const cli = commandLine(t, {
    LONGWAVE_API_KEY: "svc_sk_test_1",
    LONGWAVE_URL: "http://127.0.0.1:1",
  });
  const wrong = await cli.run(["messages", "get", ""]);
  assert.deepEqual([wrong.code, wrong.stderr], [2, '<id> cannot be "".\n']);
  const file = await cli.run(["login", "--server", "http://127.0.0.1:1", "--key", "ключ"]);
  assert.equal(file.code, 5);
  assert.doesNotMatch(file.stderr, /^ +at /m);
  const fault = new TypeError("x is not a function");
  assert.deepEqual([exitCodeOf(fault), isFault(fault)], [5, true]);
  const missing = Object.assign(new Error("ENOENT: no such file"), { syscall: "open", path: "/x" });
  assert.deepEqual([exitCodeOf(missing), isFault(missing)], [2, false]);
});

test("listen refuses unknown event types, and lists the known ones", async (t) => {
  const cli = commandLine(t, {
    LONGWAVE_API_KEY: "svc_sk_test_1",
    LONGWAVE_URL: "http://127.0.0.1:1",
  });
  const child = cli.start(["listen", "--events", "message.sent,bogus"]);
  t.after(() => child.kill());
  let stderr = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
    // A listening process does not end by itself.
    if (stderr.includes("Listening")) child.kill();
  });
  const [code] = await once(child, "close");
  assert.equal(code, 2, stderr);
  assert.match(stderr, /^There is no event bogus\. --events takes message\.sent, .*test\.ping/);
});

test("doctor reports each invalid setting, and continues with the rest", async (t) => {
  const cli = commandLine(t, {
    PORT: "abc",
    LONGWAVE_PROCESSES: "many",
    LONGWAVE_PROFILE: "nobody",
  });
  const { code, stdout, stderr } = await cli.run(["doctor"]);
  assert.deepEqual([code, stderr], [1, ""]);
  assert.match(stdout, /^problem +setting +PORT .*whole number from 0 to 65535/m);
  assert.match(stdout, /^problem +setting +LONGWAVE_PROCESSES /m);
  assert.match(stdout, /^problem +profile +There is no profile nobody: longwave login/m);
  assert.match(stdout, /^look +port +not looked at: mend PORT first/m);
  assert.match(stdout, /^ok +database +embedded/m);
  assert.match(stdout, /^ok +data folder /m);
  const asJson = await cli.run(["doctor", "--json"]);
  assert.equal(asJson.code, 1);
  assert.ok(JSON.parse(asJson.stdout).findings.length > 5);
});

test("doctor leads with what is wrong, and prints whole callback URLs", async (t) => {
  const cli = commandLine(t, { PORT: "abc" });
  const { stdout } = await cli.run(["doctor"]);
  const [headline = "", ...lines] = stdout.trim().split("\n");
  assert.match(headline, /^\d problems? to mend\. \d warnings? to look at\.$/);
  const hidden = /settings have their defaults: longwave doctor --settings/;
  assert.match(lines.pop() ?? "", hidden);
  const levels = lines.map((line) => line.split(" ")[0] ?? "");
  const ranks = levels.map((level) => ["problem", "look", "ok"].indexOf(level));
  assert.deepEqual(
    ranks,
    ranks.toSorted((a, b) => a - b),
    stdout,
  );
  const line = "acme brings receipts to /callbacks/acme/receipts/5f0c";
  assert.deepEqual(callbackFinding(line, "https://sms.example.com"), {
    check: "callback",
    level: "ok",
    detail: "acme brings receipts to https://sms.example.com/callbacks/acme/receipts/5f0c",
  });
  const unset = callbackFinding(line, undefined);
  assert.deepEqual(
    [unset?.level, /LONGWAVE_PUBLIC_URL/.test(unset?.detail ?? "")],
    ["warning", true],
  );
  assert.equal(callbackFinding("PORT=7670   (default)", undefined), null);
});

test("doctor lists settings that have their defaults on demand alone", async (t) => {
  const cli = commandLine(t, { LONGWAVE_PROCESSES: "2" });
  const { stdout } = await cli.run(["doctor"]);
  assert.match(stdout, /^ok +setting +LONGWAVE_PROCESSES=2$/m);
  assert.doesNotMatch(stdout, /\(default\)/);
  const lines = stdout.trim().split("\n");
  const [, count] = /^(\d+) settings have their defaults: /.exec(lines.at(-1) ?? "") ?? [];
  assert.ok(Number(count) > 30, stdout);
  const all = await cli.run(["doctor", "--settings"]);
  assert.equal(all.stdout.match(/\(default\)$/gm)?.length, Number(count));
  assert.doesNotMatch(all.stdout, /have their defaults/);
});

test("doctor explains in words why the server is not ready, and the fix", () => {
  const carriers = {
    ok: false,
    links: { acme: "down" },
    numbers_without_carrier: ["+14155550100", "+14155550101"],
    numbers_without_link: ["+14155550102"],
  };
  const { level, detail } = readinessFinding("carriers", carriers);
  assert.equal(level, "problem");
  assert.match(detail, /^No carrier serves \+14155550100, \+14155550101: .*LONGWAVE_CARRIERS/);
  assert.match(detail, /Every link of \+14155550102 is down: .*Links: acme down\.$/);
  for (const check of ["database", "migrations", "workers", "lanes", "hold"]) {
    const told = { ok: false, reason: "Why.", missing: ["0001"], seconds_behind: { texts: 40 } };
    assert.doesNotMatch(readinessFinding(check, told).detail, /[{}]|undefined/, check);
  }
  assert.equal(readinessFinding("workers", { ok: true, live: 1 }).detail, "1 process running");
  assert.equal(readinessFinding("workers", { ok: true }).detail, "ok");
  assert.match(readinessFinding("carriers", { ok: false }).detail, /on the server's machine/);
  assert.equal(readinessFinding("new", { ok: true, some: 1 }).detail, '{"some":1}');
});

test("audit entries show actor and target, and pages their additional fields", () => {
  const lines: string[] = [];
  const terminal = {
    ...openTerminal(false),
    color: false,
    out: (text: string) => void lines.push(text),
  };
  const page = { has_more: false, next_cursor: null };
  const item = {
    id: "log_1",
    object: "audit_log",
    action: "number.released",
    actor: { type: "key", id: "key_1", name: null },
    target: { type: "number", id: "+14155550100" },
    changes: { name: ["a", "b"] },
  };
  const named = { ...item, actor: { type: "user", id: "usr_1", name: "Ada" } };
  const token = { ...item, actor: { type: "operator", id: null, name: null } };
  printAnswer(terminal, { ...page, data: [item, named, token] });
  assert.deepEqual(
    lines.splice(0).map((line) => line.split(/ {2,}/)),
    [
      ["id", "action", "actor", "target"],
      ["log_1", "number.released", "key_1", "+14155550100"],
      ["log_1", "number.released", "Ada", "+14155550100"],
      ["log_1", "number.released", "operator", "+14155550100"],
    ],
  );
  printAnswer(terminal, { ...page, data: [], numbers_without_carrier: ["+1", "+2"] });
  assert.deepEqual(lines.splice(0), ["Nothing here.", "numbers_without_carrier  +1, +2"]);
  printAnswer(terminal, { ...page, data: [], numbers_without_carrier: [] });
  assert.deepEqual(lines.splice(0), ["Nothing here."]);
});

test("lint-registration prints the name of the CLI", async (t) => {
  const cli = commandLine(t, {});
  const wrong = await cli.run(["lint-registration", "nowhere"]);
  assert.equal(wrong.code, 2);
  assert.match(wrong.stderr, /^nowhere is neither[\s\S]*Usage: longwave lint-registration URL/);
  const help = await cli.run(["lint-registration", "--help"]);
  assert.match(help.stdout, /Usage: longwave lint-registration URL\|FOLDER/);
  assert.ok(!(wrong.stderr + help.stdout).includes("main.js"));
  const unset = await commandLine(t, { PORT: "abc" }).run(["lint-registration", "."]);
  assert.deepEqual([unset.code, unset.stdout], [2, ""], "1 is for what the check finds");
  assert.match(unset.stderr, /PORT/);
});

test("the server's own commands are CLI commands too", async (t) => {
  const cli = commandLine(t, {});
  const help = await cli.run(["smsc", "--help"]);
  assert.deepEqual([help.code, help.stdout.split(" ")[0]], [0, "smsc"], help.stderr);
  assert.equal((await cli.run(["smsc", "--bogus"])).code, 2);
  const wrong = await cli.run(["smsc", "--port", "none", "--password", "secret"]);
  assert.equal(wrong.code, 2);
  assert.match(wrong.stderr, /^smsc: --port takes a whole number .*\(smsc --help says more\)/);
  const { stdout } = await cli.run(["console-link", "--help"]);
  assert.match(stdout, /--email <address>/);
});

test("NO_COLOR has the highest precedence", () => {
  assert.equal(wantsColor({}, true), true);
  assert.equal(wantsColor({}, false), false);
  assert.equal(wantsColor({ NO_COLOR: "1", FORCE_COLOR: "1" }, true), false);
  assert.equal(wantsColor({ FORCE_COLOR: "1" }, false), true);
});
