import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { exportsIn, unusedExports } from "./exports.ts";
import {
  circlesIn,
  explainCircle,
  fileOf,
  type Import,
  importsIn,
  orderProblems,
} from "./layers.ts";
import { SERVER_LAYERS } from "./server-layers.ts";

const imports = (...pairs: readonly (readonly [string, string])[]): Import[] =>
  pairs.map(([file, target]) => ({ file, target }));

test("importsIn finds every form of import, types included", () => {
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

test("downward imports form no circle", () => {
  const down = imports(
    ["http/a.ts", "keys/b.ts"],
    ["keys/b.ts", "db/c.ts"],
    ["http/a.ts", "db/c.ts"],
  );
  assert.deepEqual(circlesIn([...down, ...imports(["db/c.ts", "db/d.ts"])]), []);
});

test("a circle spans folders and top-level files and shows its smallest edge first", () => {
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

test("unusedExports finds exports without a user, and spares types of the file's own functions", () => {
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

const LAYERS = [
  { name: "app", holds: "", rooms: ["main.ts"] },
  { name: "network", holds: "", rooms: ["numbers", "carriers"] },
  { name: "core", holds: "", rooms: ["db"] },
];

test("orderProblems accepts imports down the layers and down the rooms of a layer", () => {
  const down = imports(
    ["app/main.ts", "core/db/a.ts"],
    ["network/numbers/a.ts", "network/carriers/b.ts"],
    ["network/carriers/b.ts", "core/db/a.ts"],
  );
  const rooms = new Set(["app/main.ts", "network/numbers", "network/carriers", "core/db"]);
  assert.deepEqual(orderProblems(down, rooms, LAYERS), []);
});

test("orderProblems refuses upward imports, unlisted rooms and rooms that are gone", () => {
  const up = imports(
    ["core/db/a.ts", "network/numbers/a.ts"],
    ["network/carriers/b.ts", "network/numbers/a.ts"],
  );
  const rooms = new Set(["app/main.ts", "network/numbers", "network/carriers", "core/new"]);
  assert.deepEqual(orderProblems(up, rooms, LAYERS), [
    "core/new is missing from SERVER_LAYERS (scripts/server-layers.ts).",
    "SERVER_LAYERS (scripts/server-layers.ts) lists core/db, which does not exist.",
    "core/db/a.ts imports network/numbers/a.ts, which is further up in SERVER_LAYERS.",
    "network/carriers/b.ts imports network/numbers/a.ts, which is further up in SERVER_LAYERS.",
  ]);
});

test("ARCHITECTURE.md shows the declared layers, in order", () => {
  const page = readFileSync(new URL("../ARCHITECTURE.md", import.meta.url), "utf8");
  const rows = [...page.matchAll(/^\| `(\w+)\/` +\| (.+?) +\| (.+?) +\|$/gm)].map(
    ([, name, holds, rooms = ""]) => ({ name, holds, rooms: rooms.split(", ") }),
  );
  assert.deepEqual(rows, SERVER_LAYERS);
});
