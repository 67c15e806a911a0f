/** Fails when folders import each other in a circle, types included, and says which imports do. */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { circlesIn, explainCircle, importsBelow } from "./layers.ts";

const PACKAGES = fileURLToPath(new URL("../packages/", import.meta.url));

/** Circles that are known and on their way out, by package. A package that is not named has none. */
const KNOWN_MAX: Readonly<Record<string, number>> = { contract: 1, sdk: 1, server: 0 };

let excess = 0;
for (const name of readdirSync(PACKAGES)) {
  const src = join(PACKAGES, name, "src");
  if (!existsSync(src)) continue;
  const circles = circlesIn(importsBelow(src));
  const known = KNOWN_MAX[name] ?? 0;
  if (circles.length <= known) continue;
  excess += circles.length - known;
  for (const circle of circles) console.error(`packages/${name}/src: ${explainCircle(circle)}`);
}
if (excess > 0) {
  console.error(
    "Imports between folders only go down. Move what both sides need below them, or hand it in where the server is assembled (ARCHITECTURE.md, Layers).",
  );
  process.exitCode = 1;
}
