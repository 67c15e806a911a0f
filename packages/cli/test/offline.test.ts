import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { ROUTE_NAMES } from "@longwave/contract";
import { accessOf } from "../src/access.ts";
import { completions } from "../src/completion.ts";
import { mapColumns, PHONE_NAMES, parseTable, rejectedCsv } from "../src/csv.ts";
import { OPERATIONS } from "../src/generated/operations.ts";
import { contactsOf, importContacts } from "../src/import-contacts.ts";
import { commandWords } from "../src/operation.ts";
import { createProgram } from "../src/program.ts";
import { wantsColor } from "../src/terminal.ts";
import { commandLine } from "./longwave.ts";

test("every operation is a command with help, and no field hides behind a global option", () => {
  const program = createProgram("1");
  const globals = new Set(program.options.map((option) => option.long));
  assert.deepEqual(new Set(OPERATIONS.map(({ name }) => name)), new Set<string>(ROUTE_NAMES));
  for (const operation of OPERATIONS) {
    const command = commandWords(operation).reduce(
      (at, word) => at.commands.find((one) => one.name() === word) ?? assert.fail(operation.name),
      program,
    );
    assert.match(command.description(), new RegExp(operation.method));
    const hidden = command.options.filter((option) => globals.has(option.long));
    assert.deepEqual(
      hidden.map((option) => option.long),
      [],
      operation.name,
    );
  }
});

test("what is built for a typed line helps as the whole command line does", () => {
  const whole = createProgram("1");
  const typed = createProgram("1", ["messages", "list", "--help"]);
  assert.equal(typed.helpInformation(), whole.helpInformation());
  const groupOf = (program: typeof whole) =>
    program.commands.find((command) => command.name() === "messages") ?? assert.fail();
  assert.equal(groupOf(typed).helpInformation(), groupOf(whole).helpInformation());
  const built = typed.commands.filter(({ commands }) => commands.length > 0);
  assert.deepEqual(
    built.map((command) => command.name()),
    ["messages"],
  );
});

test("completion offers commands, then options, for what was typed", () => {
  const program = createProgram("1");
  assert.ok(completions(program, ["mess"]).includes("messages"));
  assert.ok(completions(program, ["messages", ""]).includes("send"));
  assert.deepEqual(completions(program, ["messages", "list", "--stat"]), ["--status"]);
  assert.ok(!completions(program, [""]).includes("__complete"));
});

test("bash completes with the script that is printed", async (t) => {
  const cli = commandLine(t, {});
  const { stdout, code } = await cli.run(["completion", "bash"]);
  assert.equal(code, 0);
  assert.match(stdout, /complete -o default -F _longwave longwave/);
  for (const shell of ["zsh", "fish"]) assert.equal((await cli.run(["completion", shell])).code, 0);
  assert.equal((await cli.run(["completion", "tcsh"])).code, 2);
  const words = await cli.run(["__complete", "batches", "re"]);
  assert.deepEqual(words.stdout.trim().split("\n").sort(), [
    "recipients",
    "results",
    "resume",
    "retry",
  ]);
});

test("a limit that was reached ends with 4, in words and as JSON", async (t) => {
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
    // A wait that nobody would sit through is not sat through.
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

test("the key that lies in the folder of a server leaves this machine for nobody", () => {
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
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("lint-registration names the program that was run", async (t) => {
  const cli = commandLine(t, {});
  const wrong = await cli.run(["lint-registration", "nowhere"]);
  assert.equal(wrong.code, 2);
  assert.match(wrong.stderr, /^nowhere is neither[\s\S]*Usage: longwave lint-registration URL/);
  const help = await cli.run(["lint-registration", "--help"]);
  assert.match(help.stdout, /Usage: longwave lint-registration URL\|FOLDER/);
  assert.ok(!(wrong.stderr + help.stdout).includes("main.js"));
});

test("the server's own commands are the command line's, too", async (t) => {
  const cli = commandLine(t, {});
  const help = await cli.run(["smsc", "--help"]);
  assert.deepEqual([help.code, help.stdout.split(" ")[0]], [0, "smsc"], help.stderr);
  const wrong = await cli.run(["smsc", "--port", "none", "--password", "secret"]);
  assert.equal(wrong.code, 1);
  assert.match(wrong.stderr, /^smsc: --port takes a whole number .*\(smsc --help says more\)/);
  const { stdout } = await cli.run(["console-link", "--help"]);
  assert.match(stdout, /--email <address>/);
});

test("NO_COLOR wins over everything", () => {
  assert.equal(wantsColor({}, true), true);
  assert.equal(wantsColor({}, false), false);
  assert.equal(wantsColor({ NO_COLOR: "1", FORCE_COLOR: "1" }, true), false);
  assert.equal(wantsColor({ FORCE_COLOR: "1" }, false), true);
});

test("columns are found by the names that people give them, or as they are told", () => {
  const table = parseTable("Name,Cell,Tags\nAnn,415 555 0100,a|b\n");
  assert.deepEqual([...mapColumns(table.columns, { to: PHONE_NAMES }, [])], [["to", 1]]);
  assert.deepEqual([...mapColumns(table.columns, { to: PHONE_NAMES }, ["to=Name"])], [["to", 0]]);
  assert.throws(() => mapColumns(table.columns, {}, ["to=Phone"]), /There are: Name, Cell, Tags/);
  assert.throws(() => parseTable('a,b\n"open'), /no CSV/);
  assert.throws(() => parseTable("a,a\n1,2\n"), /two columns/);
  assert.throws(() => parseTable("only,a,header\n"), /at least one row/);
  const csv = rejectedCsv(table, [{ index: 0, reason: "malformed", detail: "=1+1" }]);
  assert.equal(csv.split("\r\n")[1], "Ann,415 555 0100,a|b,malformed,'=1+1");
});

test("contacts go out 500 at a time, as one import, and report the rows of the file", async () => {
  const rows = Array.from(
    { length: 1_100 },
    (_, at) => `Person ${at},+1415555${String(at).padStart(4, "0")},yes,web,Oslo`,
  );
  const table = parseTable(`Name,Phone,Opt in,Opt-in source,Home town\n${rows.join("\n")}\n`);
  const contacts = contactsOf(table, []);
  assert.deepEqual(contacts[0], {
    phone_number: "+14155550000",
    name: "Person 0",
    opt_in: { status: true, source: "web" },
    attributes: { home_town: "Oslo" },
  });
  const asked: Record<string, unknown>[] = [];
  const report = await importContacts(
    contacts,
    async (body) => {
      asked.push(body);
      const count = (body["contacts"] as unknown[]).length;
      return {
        created: count - 1,
        updated: 0,
        import_id: "imp_1",
        skipped: [{ index: 3, reason: "malformed" }],
      };
    },
    { dryRun: false, name: "people" },
  );
  assert.deepEqual(
    asked.map((body) => [(body["contacts"] as unknown[]).length, body["import_id"], body["name"]]),
    [
      [500, undefined, "people"],
      [500, "imp_1", undefined],
      [100, "imp_1", undefined],
    ],
  );
  assert.equal(report.totals["created"], 1_097);
  assert.deepEqual(
    report.rejected.map(({ index }) => index),
    [3, 503, 1_003],
  );
  assert.throws(() => contactsOf(parseTable("a,b\n1,2\n"), []), /--map phone_number=COLUMN/);
});
