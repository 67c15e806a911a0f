import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, cp, mkdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { ROOT } from "../testing/source-process.ts";
import { temporaryFolder } from "../testing/temporary-folder.ts";
import { until } from "../testing/until.ts";

/** Packages in the image: 111 today; all packages would be 318. */
const PACKAGES_MAX = 150;

test("the image's build steps turn the sources into a server that runs in an empty folder", async (t) => {
  const dockerfile = await readFile(join(ROOT, "deploy/Dockerfile"), "utf8");
  const [building = "", serving = ""] = dockerfile.split(/^FROM .*$/m).slice(1);
  const built = await sources(t);
  const steps = [...building.matchAll(/^RUN (.+)$/gm)].map(([, step]) => step ?? "");
  assert.ok(steps.length > 0);
  for (const step of steps) {
    execFileSync("sh", ["-ec", step], { cwd: built, stdio: "pipe" });
  }
  const installed = JSON.parse(
    await readFile(join(built, "node_modules/.package-lock.json"), "utf8"),
  ) as { packages: Record<string, { dev?: boolean; link?: boolean }> };
  const packages = Object.entries(installed.packages).filter(([, { link }]) => link !== true);
  assert.ok(packages.length < PACKAGES_MAX, `${packages.length} packages are installed`);
  assert.deepEqual(
    packages.filter(([, { dev }]) => dev === true),
    [],
    "no development packages",
  );

  const folder = await temporaryFolder(t);
  await chmod(folder, 0o755);
  for (const [, path = ""] of serving.matchAll(/^COPY --from=build \/longwave\/(\S+) \S+$/gm)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await cp(join(built, path), join(folder, path), { recursive: true });
  }
  const [, link = ""] = /^RUN (mkdir -p node_modules\/@longwave .+)$/m.exec(serving) ?? [];
  execFileSync("sh", ["-ec", link], { cwd: folder, stdio: "pipe" });
  const cli = ["packages/cli/dist/main.js", "smsc", "--help"];
  const help = execFileSync(process.execPath, cli, { cwd: folder, encoding: "utf8" });
  assert.match(help, /--port/, "the command line finds the server");
  const command = JSON.parse(/^CMD (\[.+\])$/m.exec(serving)?.[1] ?? "[]") as string[];
  const url = await startServer(t, folder, command.slice(1));
  for (const path of ["/readyz", "/docs", "/docs/guides/first-message", "/llms.txt"]) {
    assert.equal((await fetch(url + path)).status, 200, path);
  }
  const console = await fetch(`${url}/`);
  assert.match(console.headers.get("content-type") ?? "", /html/);
});

/** Files that `COPY . .` copies: the repository's, without ignored ones. */
async function sources(t: TestContext): Promise<string> {
  const folder = await temporaryFolder(t);
  const files = execFileSync("git", ["ls-files", "-z", "-co", "--exclude-standard"], {
    cwd: ROOT,
    encoding: "utf8",
  });
  for (const file of files.split("\0").filter((name) => name !== "")) {
    await cp(join(ROOT, file), join(folder, file));
  }
  return folder;
}

async function startServer(
  t: TestContext,
  folder: string,
  args: readonly string[],
): Promise<string> {
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: {
      PATH: process.env["PATH"],
      HOME: folder,
      PORT: "0",
      LONGWAVE_DATA: join(folder, "data"),
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "close");
  t.after(async () => {
    child.kill("SIGTERM");
    await ended;
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  await until(() => /ready at http/.test(output), 60_000);
  return /ready at (http:\S+)/.exec(output)?.[1] ?? "";
}
