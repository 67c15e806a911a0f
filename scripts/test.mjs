// npm test: installs what is missing, checks, and runs every test against a real PostgreSQL.
import { spawn } from "node:child_process";
import { ensureInstalled, root } from "./install.mjs";

ensureInstalled();
const args = [
  "--import",
  "tsx",
  "--conditions=@longwave/source",
  "scripts/test.ts",
  ...process.argv.slice(2),
];
const child = spawn(process.execPath, args, { cwd: root, stdio: "inherit" });
child.on("exit", (code, signal) => process.exit(code ?? (signal ? 1 : 0)));
