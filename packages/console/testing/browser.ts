import { execFileSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, chromium, type LaunchOptions } from "playwright-core";

/** Names under which Chromium may be installed. */
const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

function onPath(name: string): string | null {
  for (const folder of (process.env["PATH"] ?? "").split(delimiter)) {
    const file = join(folder, name);
    try {
      accessSync(file, constants.X_OK);
      return file;
    } catch {
      // Not in this folder.
    }
  }
  return null;
}

function installed(): string | null {
  const named = process.env["LONGWAVE_CHROMIUM"];
  if (named !== undefined && named !== "") return named;
  return NAMES.map(onPath).find((file) => file !== null) ?? null;
}

/**
 * Installs a browser where none is found: Debian's Chromium as root, playwright's own elsewhere. The
 * test runner calls it once, before the test processes that would otherwise compete for apt's lock.
 */
export function ensureBrowser(): void {
  if (isSkipped() || installed() !== null) return;
  const run = (command: string, args: string[]) =>
    execFileSync(command, args, { stdio: "ignore", timeout: 240_000 });
  try {
    if (process.getuid?.() === 0 && onPath("apt-get") !== null) {
      run("apt-get", ["update"]);
      run("apt-get", ["install", "-y", "--no-install-recommends", "chromium"]);
    } else run("npx", ["playwright-core", "install", "chromium"]);
  } catch {
    // The search below decides; an error of the installer does not.
  }
}

function isSkipped(): boolean {
  return process.env["LONGWAVE_SKIP_BROWSER"] === "1" && process.env["CI"] !== "true";
}

/**
 * Launches a real browser. Without one, page tests prove nothing, so that is a failure. Outside CI,
 * LONGWAVE_SKIP_BROWSER=1 skips them.
 */
export async function launchBrowser(extra: LaunchOptions = {}): Promise<Browser | null> {
  if (isSkipped()) {
    console.error("LONGWAVE_SKIP_BROWSER=1: the tests in a browser are left out.");
    return null;
  }
  ensureBrowser();
  const executablePath = installed();
  const args = ["--no-sandbox", "--disable-dev-shm-usage"];
  const options = { ...extra, args: [...args, ...(extra.args ?? [])] };
  return chromium.launch(executablePath === null ? options : { ...options, executablePath });
}
