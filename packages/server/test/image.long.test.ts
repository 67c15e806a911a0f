import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, cp, mkdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../testing/program.ts";
import { ROOT } from "../testing/source-process.ts";
import { until } from "../testing/until.ts";

test("what the image copies is enough to serve, in an empty folder", async (t) => {
  const folder = await temporaryFolder(t);
  await chmod(folder, 0o755);
  const dockerfile = await readFile(join(ROOT, "deploy/Dockerfile"), "utf8");
  for (const [, path = ""] of dockerfile.matchAll(/^COPY --from=build \/longwave\/(\S+) \S+$/gm)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await cp(join(ROOT, path), join(folder, path), { recursive: true });
  }
  const command = JSON.parse(/^CMD (\[.+\])$/m.exec(dockerfile)?.[1] ?? "[]") as string[];
  const child = spawn(process.execPath, command.slice(1), {
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
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  await until(() => /ready at http/.test(said), 60_000);
  const url = /ready at (http:\S+)/.exec(said)?.[1] ?? "";
  assert.equal((await fetch(`${url}/readyz`)).status, 200);
  const console = await fetch(`${url}/`);
  assert.match(console.headers.get("content-type") ?? "", /html/);
  assert.equal((await fetch(`${url}/docs`)).status, 200);
});
