// npm test: installs what is missing, checks, and runs every test against a real PostgreSQL.
import { ensureInstalled, root } from "./install.mjs";
import { runChild } from "./steps.mjs";

await ensureInstalled();
const args = ["--import", "tsx", "--conditions=@longwave/source", "scripts/test.ts"];
process.exit(await runChild(process.execPath, [...args, ...process.argv.slice(2)], { cwd: root }));
