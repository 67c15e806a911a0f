// npm start: installs, builds and serves. Every step says what it does.
import { spawn, spawnSync } from "node:child_process";
import { join } from "node:path";
import { ensureInstalled, root } from "./install.mjs";

ensureInstalled();
console.error("Building …");
const built = spawnSync(process.execPath, [join(root, "scripts/build.mjs")], { stdio: "inherit" });
if (built.status !== 0) process.exit(built.status ?? 1);

const main = join(root, "packages/server/dist/main.js");
const child = spawn(process.execPath, ["--enable-source-maps", main], { stdio: "inherit" });
// The server stops gracefully by itself; this process only waits for it.
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal));
child.on("exit", (code, signal) => process.exit(code ?? (signal ? 1 : 0)));
