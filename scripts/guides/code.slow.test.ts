/**
 * Runs every code block of the READMEs and the guides unchanged, except for the server's address and key: shell with
 * the real curl and the real command line, TypeScript with tsx, Python and Go where installed. One server serves all
 * of them.
 */
import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { commandLineArguments } from "../../packages/cli/test/longwave.ts";
import { webhooks } from "../../packages/sdk/src/index.ts";
import { freePort } from "../../packages/server/testing/free-port.ts";
import { giveNumber } from "../../packages/server/testing/give-number.ts";
import { type Kit, OPERATOR_TOKEN, startKit } from "../../packages/server/testing/kit.ts";
import { type Block, blocksOf, pagesOf } from "./blocks.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const SECRET = `whsec_${Buffer.from("a secret of the guides' own test").toString("base64")}`;
const RUN_MS_MAX = 200_000;
const run = promisify(execFile);

const BLOCKS = pagesOf(ROOT).flatMap((page) => blocksOf(ROOT, page));
const inLanguage = (...languages: string[]) =>
  BLOCKS.filter(({ language }) => languages.includes(language));

/** A reader's shell, with the test's address and commands. */
const SHELL = `set -eu
curl() { command curl --silent --show-error --fail-with-body "$@"; }
longwave() { [ $# -eq 0 ] || "$NODE" $LONGWAVE_ARGUMENTS "$@"; }
npm() { [ "$1" != install ] || return 0; [ "$1" != run ] || shift; "$NODE" -e 'if (!(process.argv[2] in require(process.argv[1]).scripts)) process.exit(1)' "$MANIFEST" "$1"; }
`;

describe("the code in the READMEs and the guides", () => {
  const takeDowns: (() => Promise<void> | void)[] = [];
  const folder = mkdtempSync(join(tmpdir(), "lw-guides-"));
  let kit: Kit;
  let hooks = "";
  let environment: NodeJS.ProcessEnv = {};

  before(async () => {
    const receiver = createServer((_, response) => void response.end()).listen(0, "127.0.0.1");
    await once(receiver, "listening");
    const address = `127.0.0.1:${(receiver.address() as AddressInfo).port}`;
    hooks = `http://${address}/hooks`;
    takeDowns.push(() => rmSync(folder, { recursive: true, force: true }));
    takeDowns.push(() => void receiver.close());
    const lifetime = { after: (takeDown: () => Promise<void>) => void takeDowns.push(takeDown) };
    kit = await startKit(lifetime, {
      LONGWAVE_ALLOW_TARGETS: address,
      LONGWAVE_TWILIO_API: "1",
    });
    await giveNumber(kit, { phone: "+15005550100" });
    environment = {
      PATH: process.env["PATH"] ?? "",
      HOME: folder,
      NODE: process.execPath,
      MANIFEST: join(ROOT, "package.json"),
      LONGWAVE_ARGUMENTS: cliArguments().join(" "),
      LONGWAVE_CONFIG: join(folder, "config"),
      LONGWAVE_URL: kit.url,
      LONGWAVE_API_KEY: kit.testKey,
      LONGWAVE_OPERATOR_TOKEN: OPERATOR_TOKEN,
      LONGWAVE_WEBHOOK_SECRET: SECRET,
    };
  });
  after(async () => {
    for (const takeDown of takeDowns.reverse()) await takeDown();
  });

  /** Replaces the pages' address, key and receiver with those of this run. */
  const asItRuns = (code: string) =>
    code
      .replaceAll("http://127.0.0.1:7670", kit.url)
      .replaceAll("https://example.com/hooks", hooks)
      .replaceAll("svc_sk_test_…", kit.testKey)
      .replaceAll("./longwave", "longwave");

  test("every block is in a language that this test runs", () => {
    // Shown only: another program's language, or commands (console) that need more than this server.
    const shown = ["console", "text", "ini", "sql", "yaml"];
    const known = ["sh", "ts", "json", "python", "go", ...shown];
    const others = BLOCKS.filter(({ language }) => !known.includes(language));
    assert.deepEqual(others.map(placeOf), []);
    for (const block of inLanguage("json")) assert.ok(JSON.parse(block.code), placeOf(block));
  });

  test("shell blocks run, page by page", async () => {
    for (const [page, blocks] of byPage(inLanguage("sh"))) {
      const own = join(folder, page.replaceAll("/", "-"));
      mkdirSync(own);
      const parts = blocks.map((block) => `echo "## ${placeOf(block)}"\n${asItRuns(block.code)}`);
      const script = `${SHELL}${parts.join("\n")}`;
      const options = { cwd: own, env: environment, timeout: RUN_MS_MAX };
      await run("sh", ["-c", script], options).catch((error: { stdout: string; stderr: string }) =>
        assert.fail(`${page}\n${error.stdout}\n${error.stderr}`),
      );
    }
  });

  test("the TypeScript runs, each page as one program", async () => {
    mkdirSync(join(ROOT, "dist"), { recursive: true });
    // Below the root, so that the packages resolve.
    const own = mkdtempSync(join(ROOT, "dist/guides-"));
    try {
      const port = String(await freePort());
      const names = [...byPage(inLanguage("ts"))].map(([page, blocks]) => {
        const name = `${page.replaceAll(/\W/g, "-")}.ts`;
        const code = blocks.map((block) => asItRuns(block.code.replaceAll(/\b3000\b/g, port)));
        writeFileSync(join(own, name), code.join("\n"));
        return name;
      });
      const runner = names.map(
        (name) =>
          `await import("./${name}").catch((error) => { console.error("${name}", error); process.exit(1); });`,
      );
      writeFileSync(join(own, "all.ts"), `${runner.join("\n")}\nprocess.exit(0);\n`);
      const args = ["--import", import.meta.resolve("tsx"), "--conditions=@longwave/source"];
      const options = { cwd: own, env: environment, timeout: RUN_MS_MAX };
      await run(process.execPath, [...args, "all.ts"], options).catch(
        (error: { stdout: string; stderr: string }) =>
          assert.fail(`${error.stdout}\n${error.stderr}`),
      );
    } finally {
      rmSync(own, { recursive: true, force: true });
    }
  });

  test("the Python checks signatures as the service makes them", async (t) => {
    const block = inLanguage("python").find(({ page }) => page === "docs/guides/webhooks.md");
    assert.ok(block);
    if (!isInstalled("python3", "--version")) return t.skip("python3 is not installed here");
    const file = join(folder, "verify.py");
    writeFileSync(
      file,
      `${block.code}\nimport json, sys\nfor body, header, secret in json.load(sys.stdin):\n    print(verify(body.encode(), header, secret))\n`,
    );
    const cases = await signatureCases();
    const { stdout, status, stderr } = spawnSync("python3", [file], {
      input: JSON.stringify(cases.map(({ given }) => given)),
      encoding: "utf8",
    });
    assert.equal(status, 0, stderr);
    assert.deepEqual(
      stdout.trim().split("\n"),
      cases.map(({ isGood }) => (isGood ? "True" : "False")),
    );
  });

  test("the Go checks signatures as the service makes them", async (t) => {
    const [block] = inLanguage("go");
    assert.ok(block);
    // Without Go, at least check that the code contains the required steps.
    for (const needed of [
      "sha256.New, []byte(secret)",
      'seconds + "."',
      "rawBody",
      "apart > 300",
    ]) {
      assert.ok(block.code.includes(needed), needed);
    }
    if (!isInstalled("go", "version")) return t.skip("go is not installed here: it was not run");
    // Not "go": Go keeps its own files in that folder of the home directory.
    const own = join(folder, "go-program");
    mkdirSync(join(own, "webhook"), { recursive: true });
    writeFileSync(join(own, "go.mod"), "module example\n\ngo 1.21\n");
    writeFileSync(join(own, "webhook/verify.go"), block.code);
    writeFileSync(
      join(own, "main.go"),
      'package main\n\nimport (\n\t"encoding/json"\n\t"example/webhook"\n\t"fmt"\n\t"os"\n)\n\nfunc main() {\n\tvar cases [][]string\n\tif json.NewDecoder(os.Stdin).Decode(&cases) != nil {\n\t\tos.Exit(1)\n\t}\n\tfor _, one := range cases {\n\t\tfmt.Println(webhook.Verify([]byte(one[0]), one[1], one[2]))\n\t}\n}\n',
    );
    const cases = await signatureCases();
    const { stdout, status, stderr } = spawnSync("go", ["run", "."], {
      cwd: own,
      env: { ...environment, GOFLAGS: "-mod=mod", GOPROXY: "off" },
      input: JSON.stringify(cases.map(({ given }) => given)),
      encoding: "utf8",
    });
    assert.equal(status, 0, stderr);
    assert.deepEqual(
      stdout.trim().split("\n"),
      cases.map(({ isGood }) => String(isGood)),
    );
  });
});

function placeOf({ page, line }: Block): string {
  return `${page}:${line}`;
}

function byPage(blocks: readonly Block[]): Map<string, Block[]> {
  const pages = new Map<string, Block[]>();
  for (const block of blocks) pages.set(block.page, [...(pages.get(block.page) ?? []), block]);
  return pages;
}

/** The page's folder is temporary, so Node needs absolute paths. */
function cliArguments(): string[] {
  return commandLineArguments().map((argument) =>
    argument === "tsx" ? import.meta.resolve("tsx") : argument,
  );
}

function isInstalled(program: string, argument: string): boolean {
  return spawnSync(program, [argument]).status === 0;
}

/** Body, header and secret: one valid case, and one case for each possible fault. */
async function signatureCases(): Promise<{ given: [string, string, string]; isGood: boolean }[]> {
  const body = '{"id":"evt_1","text":"Grüße"}';
  const now = Math.floor(Date.now() / 1_000);
  const headerAt = async (timestampSeconds: number, secret = SECRET) =>
    String((await webhooks.sign(body, secret, { timestampSeconds }))["svc-signature"]);
  const good = await headerAt(now);
  return [
    { given: [body, good, SECRET], isGood: true },
    { given: [body, `${good},v1=${"0".repeat(64)}`, SECRET], isGood: true },
    { given: [`${body} `, good, SECRET], isGood: false },
    { given: [body, await headerAt(now, "whsec_b3RoZXI="), SECRET], isGood: false },
    { given: [body, await headerAt(now - 400), SECRET], isGood: false },
    { given: [body, await headerAt(now + 400), SECRET], isGood: false },
    { given: [body, "", SECRET], isGood: false },
  ];
}
