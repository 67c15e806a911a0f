import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { build } from "esbuild";
import { freePort } from "../../packages/server/testing/free-port.ts";
import { until } from "../../packages/server/testing/until.ts";
import { outputOf, packedPackages, ROOT } from "./packed.ts";

const SDK_BYTES_MAX = 30_000;
/**
 * Multiple of the processor time that Node.js itself takes: a quiet machine needs 150 ms, 100 of them for Node.js.
 */
const HELP_CPU_TIMES_MAX = 3;
const FIRST_TEXT_MS_MAX = 60_000;

const packed = packedPackages();

test("the packed packages pass publint and @arethetypeswrong/cli", () => {
  outputOf(
    process.execPath,
    ["scripts/lint-packages.mjs", ...Object.values(packed().tarballs)],
    ROOT,
  );
});

/** Minified size of a program that consists of this line. */
async function bytesOf(line: string): Promise<{ bytes: number; text: string }> {
  const { outputFiles } = await build({
    stdin: { contents: line, resolveDir: packed().folder },
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    platform: "browser",
  });
  const [file] = outputFiles;
  return { bytes: file?.contents.length ?? 0, text: file?.text ?? "" };
}

test("the whole SDK is below 30 kB, and a program bundles only the parts that it uses", async () => {
  const all = await bytesOf('export * from "@longwave/sdk";');
  assert.ok(all.bytes < SDK_BYTES_MAX, `${all.bytes} bytes`);
  const client = await bytesOf('export { Longwave } from "@longwave/sdk";');
  assert.ok(!client.text.includes("not an area code"), "the client needs no area codes");
  const counting = await bytesOf('export { countSegments } from "@longwave/sdk";');
  assert.ok(counting.bytes < 2_000, `${counting.bytes} bytes`);
  const verifying = await bytesOf('export { webhooks } from "@longwave/sdk";');
  assert.ok(verifying.bytes < 8_000, `${verifying.bytes} bytes`);
  const operation = "get messages/{}";
  assert.ok(client.text.includes(operation));
  assert.ok(!verifying.text.includes(operation));
});

const PROGRAM = `
const client = new Longwave({ apiKey: "svc_sk_test_1", fetch: async () => Response.json({ object: "account" }) });
client.account.get().then(async (account) => {
  const secret = "whsec_" + btoa("a secret of thirty-two bytes ...");
  const body = JSON.stringify({ id: "evt_1", type: "test.ping" });
  const event = await webhooks.verify(body, await webhooks.sign(body, secret), secret);
  console.log(account.object, event.id, countSegments("x").segments, typeof fileStore("x").load);
});`;

test("the SDK is imported and required", () => {
  const { folder } = packed();
  const names = "{ Longwave, countSegments, webhooks }";
  writeFileSync(
    join(folder, "imports.mjs"),
    `import ${names} from "@longwave/sdk"; import { fileStore } from "@longwave/sdk/node"; ${PROGRAM}`,
  );
  writeFileSync(
    join(folder, "requires.cjs"),
    `const ${names} = require("@longwave/sdk"); const { fileStore } = require("@longwave/sdk/node"); ${PROGRAM}`,
  );
  for (const file of ["imports.mjs", "requires.cjs"]) {
    assert.equal(outputOf(process.execPath, [file], folder), "account evt_1 1 function\n");
  }
});

test("in a clone ./longwave is the command line that was built there, from any folder", () => {
  const command = join(ROOT, "longwave");
  assert.match(outputOf(command, ["--version"], packed().folder), /^\d+\.\d+\.\d+/);
});

test("the tarball of the command line installs by itself, server included", () => {
  const { cliFolder } = packed();
  const command = join(cliFolder, "node_modules/.bin/longwave");
  assert.match(outputOf(command, ["--version"], cliFolder), /^\d+\.\d+\.\d+/);
  assert.match(outputOf(command, ["smsc", "--help"], cliFolder), /^smsc /);
  assert.match(outputOf(command, ["doctor"], cliFolder), /^ok +database +embedded/m);
});

const SMPP_PROGRAM = `
import { SmppClient, textParts } from "@longwave/smpp";
import { Smsc } from "@longwave/smpp/smsc";
const smsc = await Smsc.start({ password: "secret" });
const hosts = [{ host: "127.0.0.1", port: smsc.port }];
const client = new SmppClient({ hosts, systemId: "me", password: "secret", onDelivery: async () => 0 });
client.start();
while (client.state().state !== "up") await new Promise((resolve) => setTimeout(resolve, 10));
const [part] = textParts("Hello", { alphabet: "gsm7", isPacked: false, longText: "udh", reference: 1 });
const outcome = await client.submit({ source_addr: "1", destination_addr: "2", ...part.fields });
await client.stop();
await smsc.stop();
console.log(outcome.kind, outcome.status, smsc.journal.taken()[0].text);
`;

test("the SMPP package works by itself", () => {
  const { folder } = packed();
  writeFileSync(join(folder, "smpp.mjs"), SMPP_PROGRAM);
  assert.equal(outputOf(process.execPath, ["smpp.mjs"], folder), "answered 0 Hello\n");
});

/** Runs the command line without the profiles of this machine. */
function longwave(args: readonly string[]): string {
  const { folder } = packed();
  const env = { PATH: process.env["PATH"] ?? "", HOME: folder };
  const command = join(folder, "node_modules/.bin/longwave");
  const result = spawnSync(command, args, { cwd: folder, env, encoding: "utf8" });
  assert.equal(result.status, 0, result.stdout + result.stderr);
  return result.stdout;
}

test("the installed command line helps at once", () => {
  // Processor time, relative to that of Node.js at the same moment, so that other load does not decide.
  const main = join(packed().folder, "node_modules/longwave/dist/main.js");
  const run = (name: string, line: string) => {
    const script = `process.on("exit", () => { const { user, system } = process.cpuUsage(); console.error((user + system) / 1000); });
${line}`;
    writeFileSync(join(packed().folder, name), script);
    const result = spawnSync(process.execPath, [name], { cwd: packed().folder, encoding: "utf8" });
    assert.equal(result.status, 0, result.stderr);
    return { stdout: result.stdout, ms: Number(result.stderr) };
  };
  const helped = run(
    "help.mjs",
    `process.argv = [process.argv[0], ${JSON.stringify(main)}, "--help"];
await import(${JSON.stringify(main)});`,
  );
  assert.match(helped.stdout, /longwave send/);
  const nothing = run("nothing.mjs", "");
  const allowedMs = HELP_CPU_TIMES_MAX * nothing.ms;
  assert.ok(helped.ms < allowedMs, `${helped.ms} ms of processor time, ${allowedMs} allowed`);
});

test("the installed command line checks a folder of pages, and lists the options for it", () => {
  const { folder } = packed();
  mkdirSync(join(folder, "site"));
  writeFileSync(join(folder, "site/index.html"), "<title>Hillside Dental</title>Welcome");
  const lint = (...args: string[]) =>
    spawnSync(join(folder, "node_modules/.bin/longwave"), ["lint-registration", ...args], {
      cwd: folder,
      encoding: "utf8",
    });
  const told = lint("site", "--json");
  assert.equal(told.status, 1, told.stderr);
  assert.ok(JSON.stringify(JSON.parse(told.stdout)).includes("privacy"), told.stdout);
  const nothing = lint();
  assert.equal(nothing.status, 2);
  assert.match(nothing.stderr, /missing required argument 'url-or-folder'/);
  assert.match(lint("--help").stdout, /longwave lint-registration URL.*--business-name NAME/s);
});

test("the installed packages serve, and send the first message, without network access", async (t) => {
  const { folder } = packed();
  const port = await freePort();
  const begun = performance.now();
  const server = spawn(
    join(folder, "node_modules/.bin/longwave"),
    ["serve", "--port", String(port), "--data", join(folder, ".longwave")],
    {
      cwd: folder,
      env: { PATH: process.env["PATH"] ?? "", HOME: folder },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  let output = "";
  for (const stream of [server.stdout, server.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  const ended = once(server, "close");
  t.after(async () => {
    server.kill("SIGTERM");
    await ended;
  });
  await until(
    () => output.includes("Longwave is ready") || server.exitCode !== null,
    FIRST_TEXT_MS_MAX,
  );
  const url = `http://127.0.0.1:${port}`;
  const sent = JSON.parse(longwave(["send", "+15005550000", "Hello", "--server", url, "--json"]));
  t.diagnostic(`first text after ${Math.round(performance.now() - begun)} ms`);
  assert.equal(sent.status, "sent", output);
  // The pages are packed beside the bundle: without them the answer would say that nothing is built.
  for (const path of ["/", "/docs", "/docs/guides/first-message"]) {
    assert.equal((await fetch(url + path)).status, 200, path);
  }
});
