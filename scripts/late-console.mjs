// Builds a first console beside the running server. The server's start gets the processors first.
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { TARGETS } from "./build-state.mjs";
import { addConsolePackages, root } from "./install.mjs";
import { runChild } from "./steps.mjs";

const LOOK_MS = 200;
const SELF = fileURLToPath(import.meta.url);

/**
 * Starts the build as soon as the server of this process listens, and stops it with the process. Requests for pages
 * wait while the folder exists that this makes.
 */
export function buildConsoleOnceListening() {
  const unfinished = `${TARGETS.console.out}.new-${process.pid}`;
  const remove = () => rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true });
  process.once("exit", remove);
  const timer = setInterval(() => {
    if (!isListening()) return;
    clearInterval(timer);
    const child = spawn(process.execPath, [SELF], { stdio: ["ignore", "ignore", "inherit"] });
    child.unref();
    process.once("exit", () => child.kill());
    child.on("close", (status) => {
      remove();
      if (status === 0) return;
      console.error("Building the console failed. The lines above say why.");
    });
  }, LOOK_MS);
  timer.unref();
}

/** The server writes its address and process into the data folder. */
function isListening() {
  try {
    const file = join(process.env.LONGWAVE_DATA || ".longwave", "listening.json");
    return JSON.parse(readFileSync(file, "utf8")).pid === process.pid;
  } catch {
    return false;
  }
}

async function buildConsole() {
  const installed = await addConsolePackages();
  if (installed !== 0) return installed;
  return runChild(process.execPath, [join(root, "scripts/build.mjs"), "console"]);
}

if (process.argv[1] === SELF) process.exitCode = await buildConsole();
