import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { webhooks } from "@longwave/sdk";
import { giveNumber } from "../../server/testing/give-number.ts";
import { suiteKit } from "../../server/testing/suite.ts";
import { until } from "../../server/testing/until.ts";
import { commandLine } from "./longwave.ts";

describe("the command line against a server", () => {
  const kit = suiteKit();
  const number = "+15005550100";
  before(() => giveNumber(kit(), { phone: number }));
  const at = (key = kit().testKey) => ({ LONGWAVE_URL: kit().url, LONGWAVE_API_KEY: key });

  test("an endpoint's command sends its options, and prints for people and for programs", async (t) => {
    const cli = commandLine(t, at());
    const body = ["--from", number, "--to", "(500) 555-0000", "--body", "Hello"];
    const sent = await cli.json(["messages", "send", ...body]);
    assert.equal(sent.object, "message");
    assert.equal(sent.to, "+15005550000");
    const list = await cli.run(["messages", "list", "--to", "+15005550000", "--limit", "1"]);
    assert.equal(list.code, 0);
    assert.match(list.stdout, /^id\s+created_at\s+status\s+from\s+to\s+body/);
    assert.match(list.stdout, /^msg_\w+ +\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ {2}/m);
    const timeline = await cli.run(["messages", "timeline", sent.id]);
    assert.match(
      timeline.stdout,
      /^\+15005550100 → \+15005550000 {2}"Hello" {2}(sent|delivered)$/m,
    );
    assert.match(timeline.stdout, /^[\d-]+ [\d:]+Z {2}accepted +The message was accepted/m);
    assert.doesNotMatch(timeline.stdout, /[{}]/);
    assert.equal((await cli.json(["messages", "timeline", sent.id])).object, "message_timeline");
    assert.ok(!list.stdout.includes("\u001b["), "no colours where nobody looks");
    const read = await cli.json(["messages", "get", sent.id]);
    assert.equal(read.id, sent.id);
    const data = JSON.stringify({ from: number, to: "+15005550000", body: "By hand" });
    const again = await cli.json(["messages", "send", "--data", "-"], data);
    assert.equal(again.body, "By hand");
    const lines = await cli.run(["messages", "list", "--all", "--limit", "1", "--json"]);
    assert.ok(lines.stdout.trim().split("\n").length >= 2);
    for (const line of lines.stdout.trim().split("\n"))
      assert.equal(JSON.parse(line).object, "message");
  });

  test("login checks the key, keeps it for its owner alone, and stores several profiles", async (t) => {
    const cli = commandLine(t, {});
    const wrong = await cli.run(["login", "--server", kit().url, "--key", "svc_sk_test_wrong"]);
    assert.equal(wrong.code, 3);
    const good = await cli.run(["login", "--server", `${kit().url}/v1/`], `${kit().testKey}\n`);
    assert.equal(good.code, 0, good.stderr);
    const file = join(cli.folder, "config/profiles.json");
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.equal((await cli.json(["account", "get"])).key.mode, "test");
    const other = ["login", "--profile", "other", "--server", kit().url, "--key", kit().testKey];
    assert.equal((await cli.run(other)).code, 0);
    const profiles = await cli.json(["profiles"]);
    assert.deepEqual(
      profiles.map((profile: { name: string; current: boolean }) => [
        profile.name,
        profile.current,
      ]),
      [
        ["default", false],
        ["other", true],
      ],
    );
    assert.ok(!JSON.stringify(profiles).includes(kit().testKey));
    assert.equal((await cli.run(["account", "get", "--profile", "nobody"])).code, 2);
    assert.equal((await cli.run(["logout", "--profile", "other"])).code, 0);
    assert.equal((await cli.json(["profiles"])).length, 1);
  });

  test("send, inbound and verify work by hand", async (t) => {
    const cli = commandLine(t, at());
    const sent = await cli.run(["send", "+15005550000", "Hello there"]);
    assert.match(
      sent.stdout,
      /^sent {2}msg_\w+ {2}\+1\d{10} → \+15005550000 {2}\(1 segment, gsm7\)/,
    );
    const preview = await cli.json(["send", "+15005550000", "Grüße 👋", "--dry-run"]);
    assert.equal(preview.object, "message_preview");
    const received = await cli.json(["inbound", "Is it open?"]);
    assert.equal(received.direction, "inbound");
    const started = await cli.json(["verify", "+15005550000"]);
    const checked = await cli.json(["verify", "+15005550000", "--code", started.test_code]);
    assert.equal(checked.verified, true);
    const read = await cli.json(["verify", "get", started.id]);
    assert.equal(read.status, "approved");
  });

  test("listen forwards events signed, and resumes after a restart", async (t) => {
    const cli = commandLine(t, at());
    const got: { headers: IncomingHttpHeaders; body: string }[] = [];
    const program = createServer(async (request, response) => {
      let body = "";
      for await (const chunk of request) body += chunk;
      got.push({ headers: request.headers, body });
      response.end();
    }).listen(0, "127.0.0.1");
    t.after(() => program.close());
    await once(program, "listening");
    const url = `http://127.0.0.1:${(program.address() as AddressInfo).port}/hooks`;
    const say = (text: string) =>
      kit().api.test.inbound({ from: "+15005550000", to: number, body: text });
    const listening = async () => {
      const child = cli.start(["listen", "--forward-to", url, "--events", "message.received"]);
      let stderr = "";
      child.stderr?.setEncoding("utf8").on("data", (text: string) => {
        stderr += text;
      });
      await until(() => stderr.includes("Listening"));
      return { child, secret: () => /whsec_\S+/.exec(stderr)?.[0] ?? "" };
    };
    const texts = () => got.map(({ body }) => JSON.parse(body).data.body as string);
    const first = await listening();
    // The first long poll sets the cursor; earlier events are not reported.
    await until(async () => {
      await say("one");
      return got.length > 0;
    });
    const [one] = got;
    await webhooks.verify(one?.body ?? "", one?.headers ?? {}, first.secret());
    first.child.kill("SIGTERM");
    await once(first.child, "close");
    const before = got.length;
    await say("while nobody listened");
    const second = await listening();
    await until(() => texts().includes("while nobody listened"));
    assert.equal(second.secret(), first.secret(), "the secret stays");
    assert.deepEqual(await cli.json(["profiles"]), [], "to listen is not to log in");
    assert.equal(new Set(got.map(({ body }) => JSON.parse(body).id)).size, got.length, "each once");
    assert.ok(got.length > before);
    second.child.kill("SIGTERM");
    await once(second.child, "close");
  });

  test("a batch from a file runs dry first; rejected rows go to a file", async (t) => {
    const cli = commandLine(t, at());
    const file = join(cli.folder, "people.csv");
    writeFileSync(
      file,
      '\ufeffMobile;First name\r\n500 555 0000;Ann\r\n12;Bob\r\n(500) 555-0009;"Eve; Jr"\r\n',
    );
    const given = ["batches", "create", "--from", number, "--body", "Hi {{first}}", "--csv", file];
    const mapped = [...given, "--map", "first=First name"];
    const tried = await cli.run(mapped);
    assert.equal(tried.code, 0, tried.stderr);
    assert.match(tried.stderr, /2 of 3 rows would get a text \(2 segments, USD /);
    assert.match(tried.stderr, /add --yes/);
    assert.equal((await cli.json(["batches", "list"])).data.length, 0, "a dry run makes nothing");
    assert.equal(
      readFileSync(`${file}.rejected.csv`, "utf8").split("\r\n")[1]?.startsWith("12,Bob,malformed"),
      true,
    );
    const made = await cli.json([...mapped, "--yes"]);
    assert.equal(made.object, "batch");
    assert.equal(made.counts.total, 2);
    writeFileSync(file, "Mobile\n500 555 0000\n");
    const one = await cli.run([...given.map((word) => word.replace("{{first}}", "you"))]);
    assert.match(one.stderr, /^1 of 1 row would get a text \(1 segment, USD /);
  });

  test("trigger makes an event, and explains the ones it cannot make", async (t) => {
    const cli = commandLine(t, at());
    const line = await cli.run(["trigger", "message.received"]);
    assert.match(line.stdout, /^[\d-]+ [\d:]+Z {2}message\.received .* "hi there" {2}evt_\w+\n$/);
    for (const [type, sentence] of [
      ["test.ping", /^The account has no webhook endpoint\. longwave webhooks create/],
      ["bogus", /^There is no event bogus\. Events: message\.sent, /],
    ] as const) {
      const { code, stderr } = await cli.run(["trigger", type]);
      assert.deepEqual([code, sentence.test(stderr)], [2, true], stderr);
    }
  });

  test("logs show events and deliveries by time", async (t) => {
    const cli = commandLine(t, at());
    const { stdout, code } = await cli.run(["logs", "--lines", "5", "--json"]);
    assert.equal(code, 0);
    const times = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).created_at as string);
    assert.ok(times.length > 0 && times.length <= 5);
    assert.deepEqual(
      times,
      [...times].sort((a, b) => (a < b ? -1 : 1)),
    );
    const people = await cli.run(["logs", "--lines", "50"]);
    assert.match(
      people.stdout,
      /^[\d-]+ [\d:]+Z {2}message\.received +\+15005550000 → \+1\d+ {2}"hi there" {2}evt_/m,
    );
    assert.doesNotMatch(people.stdout, /[{}]/);
    assert.equal((await cli.run(["logs", "--lines", "0"])).code, 2);
  });

  test("logs --follow continues with new events alone", async (t) => {
    const cli = commandLine(t, at());
    const text = (body: string) =>
      kit().api.test.inbound({ from: "+15005550012", to: number, body });
    for (let count = 0; count < 60; count += 1) await text(`Old ${count}`);
    const follow = cli.start(["logs", "--lines", "5", "--follow", "--events-only"]);
    t.after(() => follow.kill());
    let shown = "";
    follow.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
      shown += chunk;
    });
    const lines = () => shown.trim().split("\n");
    await until(() => lines().length === 5);
    await text("New");
    await until(() => shown.includes('"New"'));
    await text("Newer");
    await until(() => shown.includes('"Newer"'));
    follow.kill("SIGINT");
    await once(follow, "close");
    assert.deepEqual(
      lines().map((line) => /"(.*)"/.exec(line)?.[1]),
      ["Old 55", "Old 56", "Old 57", "Old 58", "Old 59", "New", "Newer"],
    );
  });

  test("doctor checks the running server, and reports problems", async (t) => {
    const cli = commandLine(t, at());
    const { stdout } = await cli.run(["doctor", "--json"]);
    const { findings } = JSON.parse(stdout) as { findings: { check: string; level: string }[] };
    const checks = new Set(findings.map(({ check }) => check));
    for (const check of ["Node.js", "setting", "server", "disk", "clock"])
      assert.ok(checks.has(check), check);
    const bad = commandLine(t, {
      ...at(),
      LONGWAVE_URL: "http://127.0.0.1:1",
      DATABASE_URL: "postgres://127.0.0.1:1/x",
    });
    const told = await bad.run(["doctor"]);
    assert.equal(told.code, 1);
    const secret = "s3cret-of-a-setting";
    const misspelled = commandLine(t, {
      ...at(),
      DATABASE_URL: `postgres:/me:${secret}@x y/z`,
      LONGWAVE_SMTP_URL: `smtp:/mailer:${secret}@mail`,
      LONGWAVE_OPERATOR_TOKENS: secret,
    });
    for (const more of [[], ["--json"]]) {
      const { stdout, stderr } = await misspelled.run(["doctor", ...more]);
      assert.match(stdout, /DATABASE_URL/);
      assert.ok(!`${stdout}${stderr}`.includes(secret), stdout + stderr);
    }
    assert.match(
      told.stdout,
      /problem {2}database {6}127\.0\.0\.1:1 cannot be reached: start PostgreSQL/,
    );
  });
});
