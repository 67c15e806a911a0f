import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createConsoleFiles } from "./files.ts";

const REQUEST = { headers: {} } as IncomingMessage;
const NEVER = { sleep: () => assert.fail("nobody waits") };

function folderOf(t: TestContext) {
  const parent = mkdtempSync(join(tmpdir(), "lw-console-"));
  t.after(() => rmSync(parent, { recursive: true, force: true }));
  const unfinished = join(parent, "dist.new-1");
  const begin = () => mkdirSync(join(unfinished, "console-assets"), { recursive: true });
  const finish = () => {
    writeFileSync(join(unfinished, "index.html"), "<h1>The console</h1>");
    writeFileSync(join(unfinished, "console-assets/boot.js"), "start()");
    renameSync(unfinished, join(parent, "dist"));
  };
  return { dist: join(parent, "dist"), begin, finish };
}

test("pages of a console that is being built wait for it", async (t) => {
  const { dist, begin, finish } = folderOf(t);
  begin();
  let looks = 0;
  const sleep = async () => {
    looks += 1;
    if (looks === 3) finish();
  };
  const files = createConsoleFiles({ sleep }, dist);
  const page = await files.pageAt("/first")?.answer(REQUEST);
  assert.deepEqual([page?.status, String(page?.body)], [200, "<h1>The console</h1>"]);
  const script = await files.pageAt("/console-assets/boot.js")?.answer(REQUEST);
  assert.deepEqual([script?.status, String(script?.body)], [200, "start()"]);
  assert.equal(await files.pageAt("/console-assets/gone.js")?.answer(REQUEST), null);
  assert.equal(files.pageAt("/v1/none"), null);
  assert.equal(looks, 3);
});

test("pages of a console that nobody builds say how to build it", async (t) => {
  const { dist, begin, finish } = folderOf(t);
  const files = createConsoleFiles(NEVER, dist);
  const page = await files.pageAt("/")?.answer(REQUEST);
  assert.equal(page?.status, 503);
  assert.match(String(page?.body), /npm run build:serving/);
  begin();
  finish();
  assert.equal((await files.pageAt("/")?.answer(REQUEST))?.status, 200);
  assert.equal(createConsoleFiles(NEVER, dist).routes.length, 2);
});

test("a build that takes longer than a minute answers meanwhile, and browsers ask again", async (t) => {
  const { dist, begin } = folderOf(t);
  begin();
  let waitedMs = 0;
  const sleep = async (ms: number) => {
    waitedMs += ms;
  };
  const files = createConsoleFiles({ sleep }, dist);
  const page = await files.pageAt("/")?.answer(REQUEST);
  assert.deepEqual([page?.status, page?.headers?.["refresh"], waitedMs], [503, "5", 60_000]);
  assert.match(String(page?.body), /^The console is being installed and built/);
});
