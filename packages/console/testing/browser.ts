import { execFileSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, chromium } from "playwright-core";

/** Programs that are a Chromium, by the names they are installed under. */
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

/** As root on Debian a browser can be had; elsewhere playwright's own is fetched. */
function install(): void {
  const run = (command: string, args: string[]) =>
    execFileSync(command, args, { stdio: "ignore", timeout: 240_000 });
  try {
    if (process.getuid?.() === 0 && onPath("apt-get") !== null) {
      run("apt-get", ["update"]);
      run("apt-get", ["install", "-y", "--no-install-recommends", "chromium"]);
    } else run("npx", ["playwright-core", "install", "chromium"]);
  } catch {
    // Whether there is a browser now is what counts.
  }
}

/**
 * A real browser. Without one a test of pages proves nothing, so that is a failure; only where no CI
 * asks for it may LONGWAVE_SKIP_BROWSER=1 leave such tests out.
 */
export async function launchBrowser(): Promise<Browser | null> {
  if (process.env["LONGWAVE_SKIP_BROWSER"] === "1" && process.env["CI"] !== "true") {
    console.error("LONGWAVE_SKIP_BROWSER=1: the tests in a browser are left out.");
    return null;
  }
  if (installed() === null) install();
  const executablePath = installed();
  const args = ["--no-sandbox", "--disable-dev-shm-usage"];
  return chromium.launch(executablePath === null ? { args } : { executablePath, args });
}
