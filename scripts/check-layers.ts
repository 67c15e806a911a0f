/** Fails when folders import each other in a circle, types included, and says which imports do. */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { circlesIn, explainCircle, importsBelow } from "./layers.ts";

const PACKAGES = fileURLToPath(new URL("../packages/", import.meta.url));

let found = 0;
for (const name of readdirSync(PACKAGES)) {
  const src = join(PACKAGES, name, "src");
  if (!existsSync(src)) continue;
  const circles = circlesIn(importsBelow(src));
  found += circles.length;
  for (const circle of circles) console.error(`packages/${name}/src: ${explainCircle(circle)}`);
}
if (found > 0) {
  console.error(
    "Imports between folders only go down. Move what both sides need below them, or hand it in where the server is assembled (ARCHITECTURE.md, Layers).",
  );
  process.exitCode = 1;
}
