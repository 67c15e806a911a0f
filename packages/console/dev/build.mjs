// Builds the pages into a folder and writes each file compressed beside it, as the server sends
// them.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { build } from "vite";

const COMPRESSED = /\.(?:js|css|svg|html)$/;

export async function buildConsole(folder) {
  const root = dirname(dirname(fileURLToPath(import.meta.url)));
  await build({
    root,
    configFile: join(root, "vite.config.ts"),
    logLevel: "warn",
    build: { outDir: folder, emptyOutDir: true },
  });
  for (const name of readdirSync(folder, { recursive: true })) {
    if (!COMPRESSED.test(name)) continue;
    const file = join(folder, name);
    const bytes = readFileSync(file);
    writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
    writeFileSync(`${file}.br`, brotliCompressSync(bytes));
  }
}
