// npm run example -- NAME: runs a program of examples/ against the server on this machine, with the key of its first
// run unless LONGWAVE_API_KEY is set.
import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ensureInstalled, root } from "./install.mjs";

const OURS = "http://127.0.0.1:7670";
const [name = ""] = process.argv.slice(2);
const examples = readdirSync(join(root, "examples"), { withFileTypes: true })
  .filter(
    (entry) => entry.isDirectory() && existsSync(join(root, "examples", entry.name, "main.ts")),
  )
  .map((entry) => entry.name);

if (!examples.includes(name)) {
  console.error(`Which one? npm run example -- ${examples.join(" | ")}`);
  process.exitCode = 2;
} else {
  await ensureInstalled();
  const program = join(root, "examples", name, "main.ts");
  const args = ["--import", "tsx", "--conditions=@longwave/source", program];
  const folder = process.env.LONGWAVE_DATA ?? join(root, ".longwave");
  const url = process.env.LONGWAVE_URL || fieldOf(join(folder, "listening.json"), "url") || OURS;
  const env = {
    ...process.env,
    LONGWAVE_URL: url,
    LONGWAVE_API_KEY: process.env.LONGWAVE_API_KEY || firstKey(folder, url),
  };
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal));
  child.on("exit", (code) => {
    process.exitCode = code ?? 1;
  });
}

/** Key of the first `npm start`; empty without one, and for a server on another machine. */
function firstKey(folder, url) {
  const isHere = /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?:[:/]|$)/.test(url);
  return isHere ? fieldOf(join(folder, "first-run.json"), "test_key") : "";
}

/** A field of a JSON file; empty when there is no such file. */
function fieldOf(file, name) {
  try {
    return JSON.parse(readFileSync(file, "utf8"))[name] ?? "";
  } catch (error) {
    if (error.code === "ENOENT") return "";
    throw error;
  }
}
