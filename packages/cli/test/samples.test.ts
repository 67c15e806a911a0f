import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openApiDocument } from "@longwave/contract";
import { Longwave } from "@longwave/sdk";
import { valuesOf } from "../src/endpoint-commands.ts";
import { OPERATIONS } from "../src/generated/operations.ts";
import type { Values } from "../src/invoke.ts";
import { commandWords } from "../src/operation.ts";
import { createProgram } from "../src/program.ts";

const VIEWER = new URL("../../server/src/surfaces/reference/viewer/", import.meta.url);
const WHERE = {
  origin: "http://127.0.0.1:7670",
  apiKey: "svc_sk_test_1",
  operatorToken: "operator",
};
const END = "\u0001";

// biome-ignore lint/suspicious/noExplicitAny: the page is plain JavaScript
type Anything = any;

const { cli, curl, sdk } = (await import(new URL("code-samples.js", VIEWER).href)) as Anything;
const { callOf } = (await import(new URL("operation-view.js", VIEWER).href)) as Anything;

const document = JSON.parse(JSON.stringify(openApiDocument())) as Anything;
/** Every call with its samples in the reference. */
const CALLS: Anything[] = Object.entries<Anything>(document.paths).flatMap(([path, methods]) =>
  Object.entries<Anything>(methods).map(([method, operation]) => callOf(path, method, operation)),
);

/** Arguments that a shell passes for each sample: the program is a function that prints them. */
function shellWords(program: string, samples: readonly string[]): string[][] {
  const script = `${program}() { printf '%s\\0' "$@"; printf '\\001\\0'; }\n${samples.join("\n")}\n`;
  const output = execFileSync("sh", ["-eu"], { input: script, encoding: "utf8" });
  const words = output.split("\0").slice(0, -1);
  const commands: string[][] = [[]];
  for (const word of words) {
    if (word === END) commands.push([]);
    else commands.at(-1)?.push(word);
  }
  return commands.slice(0, -1);
}

function urlOf(call: Anything): string {
  const path = call.path.replaceAll(/\{(\w+)\}/g, (_: string, name: string) =>
    encodeURIComponent(call.example.path[name] ?? name),
  );
  const url = new URL(path, WHERE.origin);
  for (const [name, value] of Object.entries(call.example.query)) {
    url.searchParams.set(name, String(value));
  }
  return url.href;
}

/** Compares addresses independent of escaping. */
function samePlace(given: string): string {
  const { origin, pathname, searchParams } = new URL(given);
  const query = [...searchParams].map(([name, value]) => `${name}=${value}`);
  return `${origin}${decodeURIComponent(pathname)}?${query.sort((a, b) => (a < b ? -1 : 1)).join("&")}`;
}

test("the curl sample of every call sends its example", () => {
  const commands = shellWords(
    "curl",
    CALLS.map((call) => curl(call, call.example, WHERE)),
  );
  assert.equal(commands.length, CALLS.length);
  for (const [index, call] of CALLS.entries()) {
    const words = [...(commands[index] ?? [])];
    const after = (flag: string) => {
      const at = words.indexOf(flag);
      return at === -1 ? undefined : words.splice(at, 2)[1];
    };
    const method = after("-X");
    const body = after("-d");
    const file = after("--data-binary");
    const headers = [after("-H"), after("-H")].filter((header) => header !== undefined);
    const token = call.isOperator ? WHERE.operatorToken : WHERE.apiKey;
    assert.deepEqual([words.length, headers[0]], [1, `Authorization: Bearer ${token}`], call.id);
    assert.equal(samePlace(words[0] ?? ""), samePlace(urlOf(call)), call.id);
    assert.equal(method ?? ((body ?? file) ? "POST" : "GET"), call.method, call.id);
    assert.equal(file, call.takes && "@file.csv", call.id);
    const sent = body === undefined ? undefined : JSON.parse(body);
    assert.deepEqual(sent, call.example.body, call.id);
  }
});

test("the CLI sample of every call sends its example", async (t) => {
  const commands = shellWords(
    "longwave",
    CALLS.map((call) => cli(call, call.example, WHERE)),
  );
  const program = createProgram("1");
  const typed = new Map<string, Values>();
  for (const operation of OPERATIONS) {
    const command = commandWords(operation).reduce(
      (at, word) => at.commands.find((one) => one.name() === word) ?? assert.fail(operation.name),
      program,
    );
    command.action(() => {
      typed.set(operation.name, valuesOf(operation, command));
    });
  }
  const folder = mkdtempSync(join(tmpdir(), "lw-samples-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "file.csv");
  for (const [index, call] of CALLS.entries()) {
    if (call.takes) writeFileSync(file, call.example.file);
    const words = (commands[index] ?? []).map((word) => (word === "file.csv" ? file : word));
    await program.parseAsync(words, { from: "user" });
    const values = typed.get(call.sdkMethod);
    assert.deepEqual(
      { path: values?.params, query: values?.query, body: values?.body },
      {
        path: call.pathNames.map((name: string) => call.example.path[name] ?? name),
        query: call.example.query,
        body: call.example.body ?? call.example.file,
      },
      call.sdkMethod,
    );
  }
});

test("the TypeScript sample of every call sends its example", async () => {
  const PAGE = { data: [], has_more: false, next_cursor: null };
  const asked: { url: string; method: string; body: unknown }[] = [];
  class Recording extends Longwave {
    constructor(options: ConstructorParameters<typeof Longwave>[0]) {
      const recorded = async (url: Parameters<typeof fetch>[0], init?: RequestInit) => {
        const text = init?.body === undefined ? undefined : String(init.body);
        const body = text?.startsWith("{") ? JSON.parse(text) : text;
        asked.push({ url: String(url), method: init?.method ?? "GET", body });
        return Response.json(PAGE);
      };
      super({ ...options, fetch: recorded as typeof fetch });
    }
  }
  const AsyncFunction = (async () => {}).constructor as FunctionConstructor;
  for (const call of CALLS) {
    const code = sdk(call, call.example, WHERE).replaceAll(/^import .*$/gm, "");
    const given = [Recording, { log: () => {} }, () => call.example.file];
    await new AsyncFunction("Longwave", "console", "readFileSync", code)(...given);
    const { url, method, body } = asked.at(-1) ?? assert.fail(call.id);
    assert.equal(samePlace(url), samePlace(urlOf(call)), call.id);
    assert.deepEqual(
      { method, body },
      { method: call.method, body: call.example.body ?? call.example.file },
      call.id,
    );
  }
});
