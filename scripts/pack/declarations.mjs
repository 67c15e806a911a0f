// Makes the compiler's declarations readable outside this repository.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Rewrites imports from source endings to module endings. Returns the file names, relative to the folder. */
export function pointToModules(folder) {
  const names = filesIn(folder, "").filter((name) => name.endsWith(".d.ts"));
  for (const name of names) {
    const file = join(folder, name);
    const text = readFileSync(file, "utf8");
    writeFileSync(file, text.replaceAll(/(from |import\()"(\.{1,2}\/[^"]+)\.ts"/g, '$1"$2.js"'));
  }
  return names;
}

function filesIn(base, path) {
  return readdirSync(join(base, path), { withFileTypes: true }).flatMap((entry) => {
    const name = path === "" ? entry.name : `${path}/${entry.name}`;
    return entry.isDirectory() ? filesIn(base, name) : [name];
  });
}
