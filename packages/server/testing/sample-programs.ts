/** Runs the reference's samples against a server that records what they send. */
import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import { promisify } from "node:util";
import { openApiDocument } from "@longwave/contract";

const VIEWER = new URL("../src/surfaces/reference/viewer/", import.meta.url);
const RUN_MS_MAX = 300_000;
const run = promisify(execFile);

// biome-ignore lint/suspicious/noExplicitAny: the page is plain JavaScript
type Anything = any;

const { callOf } = (await import(new URL("operation-view.js", VIEWER).href)) as Anything;
const { curl } = (await import(new URL("code-samples.js", VIEWER).href)) as Anything;
const languages = (await import(new URL("language-samples.js", VIEWER).href)) as Anything;
export const samples: Anything = { ...languages, curl };

const document = JSON.parse(JSON.stringify(openApiDocument())) as Anything;

/** Text that each language must escape in its own way. */
const AWKWARD = `it's "5" $HOME \${x} #{y} \`z\` \\n 100% """ <?php ?> Grüße 🎉\nsecond line`;

/** Every call of the API, and one whose values are hard to quote. */
function sampleCalls(): Anything[] {
  const calls = Object.entries<Anything>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Anything>(methods).map(([method, operation]) => callOf(path, method, operation)),
  );
  const send = calls.find(({ id }) => id === "messagesSend");
  const body = { to: AWKWARD, "a-b": [1.5, true, null, { x: [] }], nothing: {} };
  return [...calls, { ...send, id: "awkward", example: { ...send.example, body } }];
}

interface Recorded {
  readonly method: string;
  readonly url: string;
  readonly token: string;
  readonly body: string;
}

interface SampleFile {
  /** The path below the folder in which everything runs. */
  readonly path: string;
  readonly text: string;
}

interface Language {
  readonly make: (call: Anything, values: Anything, where: Anything) => string;
  /** Programs that must be installed, each with an argument that ends it at once. */
  readonly needs: readonly (readonly [string, ...string[]])[];
  /** The files that hold all samples, and those that run them in order. */
  readonly files: (codes: readonly string[]) => readonly SampleFile[];
  readonly commands: readonly (readonly [string, ...string[]])[];
}

/** Runs the sample of every call and compares what arrives with the call's example. */
export async function runSamples(t: TestContext, language: Language): Promise<void> {
  const missing = language.needs.find(
    ([program, ...given]) => spawnSync(program, given).status !== 0,
  );
  if (missing) return t.skip(`${missing.join(" ")} does not work here`);
  const recorded: Recorded[] = [];
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    recorded.push({
      method: request.method ?? "",
      url: request.url ?? "",
      token: request.headers.authorization ?? "",
      body: Buffer.concat(parts).toString(),
    });
    response.setHeader("content-type", "application/json").end("{}");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const folder = mkdtempSync(join(tmpdir(), "lw-samples-"));
  t.after(() => {
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const where = { origin, apiKey: "svc_sk_test_1", operatorToken: "operator" };
  const calls = sampleCalls();
  const codes = calls.map((call) => language.make(call, call.example, where));
  const written = [...language.files(codes), { path: "file.csv", text: "phone\n+15005550000\n" }];
  for (const { path, text } of written) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  for (const [program, ...given] of language.commands) {
    const options = { cwd: folder, timeout: RUN_MS_MAX, maxBuffer: 64 << 20 };
    await run(program, given, { ...options, env: { ...process.env, GOFLAGS: "-mod=mod" } }).catch(
      (error: { stdout: string; stderr: string; message: string }) =>
        assert.fail(`${error.message}\n${error.stdout}\n${error.stderr}`.slice(0, 4_000)),
    );
  }
  assert.equal(recorded.length, calls.length);
  for (const [index, call] of calls.entries()) {
    const { method, url, token, body } = recorded[index] as Recorded;
    assert.deepEqual(
      { method, url: samePlace(url), token, body: body === "" ? undefined : bodyOf(call, body) },
      {
        method: call.method,
        url: samePlace(expectedUrl(call)),
        token: `Bearer ${call.isOperator ? where.operatorToken : where.apiKey}`,
        body: call.takes ? "phone\n+15005550000\n" : call.example.body,
      },
      call.id,
    );
  }
}

function bodyOf(call: Anything, text: string): unknown {
  return call.takes ? text : JSON.parse(text);
}

function expectedUrl(call: Anything): string {
  const path = call.path.replaceAll(/\{(\w+)\}/g, (_: string, name: string) =>
    encodeURIComponent(call.example.path[name] ?? name),
  );
  return `${path}?${new URLSearchParams(call.example.query)}`;
}

/** Compares addresses independent of escaping. */
function samePlace(given: string): string {
  const { pathname, searchParams } = new URL(given, "http://localhost");
  const query = [...searchParams].map(([name, value]) => `${name}=${value}`);
  return `${decodeURIComponent(pathname)}?${query.sort((a, b) => (a < b ? -1 : 1)).join("&")}`;
}
