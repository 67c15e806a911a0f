import assert from "node:assert/strict";
import test from "node:test";
import { exportsIn, unusedExports } from "./exports.ts";
import { circlesIn, explainCircle, fileOf, type Import, importsIn } from "./layers.ts";

const imports = (...pairs: readonly (readonly [string, string])[]): Import[] =>
  pairs.map(([file, target]) => ({ file, target }));

test("every form of an import counts, types as well", () => {
  const text = `import type { A } from "../a/a.ts";
import {
  b,
  type C,
} from "./c.ts";
export { d } from "../d.ts";
import { e } from "node:fs";
const later = await import("../later/one.ts");
const quoted = 'import { x } from "elsewhere"';`;
  assert.deepEqual(importsIn(text), ["../a/a.ts", "./c.ts", "../d.ts", "../later/one.ts"]);
});

test("imports that go down are no circle, however many there are", () => {
  const down = imports(
    ["http/a.ts", "keys/b.ts"],
    ["keys/b.ts", "db/c.ts"],
    ["http/a.ts", "db/c.ts"],
  );
  assert.deepEqual(circlesIn([...down, ...imports(["db/c.ts", "db/d.ts"])]), []);
});

test("a circle is found across folders and files at the top, and its thinnest part shown first", () => {
  const found = circlesIn(
    imports(
      ["config.ts", "verify/rules.ts"],
      ["verify/start.ts", "base.ts"],
      ["verify/check.ts", "base.ts"],
      ["base.ts", "config.ts"],
      ["http/a.ts", "base.ts"],
    ),
  );
  assert.deepEqual(
    found.map((circle) => circle.folders),
    [["base.ts", "config.ts", "verify/"]],
  );
  const [first = "", ...lines] = explainCircle(found[0] as (typeof found)[number]).split("\n");
  assert.equal(first, "A circle of 3: base.ts, config.ts, verify/");
  assert.deepEqual(lines.slice(-3), [
    "  verify/ -> base.ts",
    "      verify/start.ts -> base.ts",
    "      verify/check.ts -> base.ts",
  ]);
});

test("files of one folder may not import each other in a circle either", () => {
  const within = imports(["db/a.ts", "db/b.ts"], ["db/b.ts", "db/c.ts"], ["db/c.ts", "db/a.ts"]);
  assert.deepEqual(circlesIn(within), []);
  assert.deepEqual(
    circlesIn(within, fileOf).map((circle) => circle.folders),
    [["db/a.ts", "db/b.ts", "db/c.ts"]],
  );
});

test("what is exported and used by nobody is found; a type may serve its own file's functions", () => {
  const sources = [
    {
      path: "a.ts",
      text: "export const used = 1;\nexport function unused() {}\nexport interface Options {}\nexport function make(options: Options) {}\nexport type Nobody = 1;",
    },
    { path: "b.ts", text: 'import { make, used } from "./a.ts";' },
  ];
  assert.deepEqual(
    exportsIn(sources[0]?.text ?? "").map((one) => one.name),
    ["used", "unused", "Options", "make", "Nobody"],
  );
  assert.deepEqual(
    unusedExports(sources, () => true),
    ["a.ts: unused", "a.ts: Nobody"],
  );
});
