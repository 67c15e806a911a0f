import assert from "node:assert/strict";
import test from "node:test";
import { circlesIn, explainCircle, type Import, importsIn } from "./layers.ts";

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
