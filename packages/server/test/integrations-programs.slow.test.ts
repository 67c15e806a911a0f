/** Programs of docs/integrations that Debian packages, and code that a page has for pasting, with the page's lines. */
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import vm from "node:vm";
import { HOOK_PRESETS, type HookPresetName } from "@longwave/contract";
import { freePort } from "../testing/free-port.ts";
import { giveNumber } from "../testing/give-number.ts";
import { startKit } from "../testing/kit.ts";
import { ROOT } from "../testing/source-process.ts";
import { until } from "../testing/until.ts";
import { jsonnet, oneBlock, WITHOUT_A_HOOK } from "./integrations/page.ts";

const PHONE = "+15005550000";
const ORIGIN = "https://longwave.example.com";

/** Sentence that says which command installs the program, or false. */
function missing(program: string, debian: string): string | false {
  try {
    execFileSync("which", [program], { stdio: "ignore" });
    return false;
  } catch {
    return `${debian} is not installed; run: apt-get install --no-install-recommends ${debian}`;
  }
}

const pageOf = (name: string) => readFile(join(ROOT, "docs/integrations", name), "utf8");

/** Server with a number and a hook of a preset, which sends to the phone. */
async function startHook(t: TestContext, preset: HookPresetName, more: object = {}) {
  const kit = await startKit(t);
  await giveNumber(kit, { phone: "+15005550100" });
  const body = { name: preset, from: "+15005550100", preset, ...more };
  const { body: hook } = await kit.request("POST", "/v1/hooks", { body });
  const bodies = async (): Promise<string[]> =>
    (await kit.rows("select body from messages where to_number = $1", [PHONE])).map(
      (row) => row.body,
    );
  const url = `${kit.url}/hooks/${hook.id}`;
  const filled = (text: string) =>
    text.replace(`${ORIGIN}/hooks/hook_…`, url).replace(/\bSECRET\b/, hook.secret);
  return { secret: hook.secret as string, bodies, filled };
}

test("Ory Kratos' jsonnet makes the bodies that its page's test sends", {
  skip: missing("jsonnet", "jsonnet"),
}, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "lw-jsonnet-"));
  t.after(() => rm(folder, { recursive: true }));
  const sample = HOOK_PRESETS.get("kratos")?.sample as Record<string, unknown>;
  for (const part of (await pageOf("kratos.md")).split(WITHOUT_A_HOOK)) {
    const file = join(folder, "longwave.jsonnet");
    await writeFile(file, oneBlock(part, "jsonnet"));
    const context = ["--tla-code", `ctx=${JSON.stringify(sample)}`, file];
    const made = JSON.parse(String(execFileSync("jsonnet", context)));
    assert.deepEqual(made, JSON.parse(jsonnet(part, sample)));
  }
});

test("Auth0's Action sends a code", async (t) => {
  const { secret, bodies, filled } = await startHook(t, "auth0");
  const exports = {} as {
    onExecuteCustomPhoneProvider: (event: object, api: object) => Promise<void>;
  };
  const code = filled(oneBlock(await pageOf("auth0.md"), "js"));
  vm.runInNewContext(code, { exports, fetch, JSON });
  const refusals: string[] = [];
  const notification = {
    retry: (reason: string) => void refusals.push(reason),
    drop: (reason: string) => void refusals.push(reason),
  };
  const act = (given: string) =>
    exports.onExecuteCustomPhoneProvider(
      { ...HOOK_PRESETS.get("auth0")?.sample, secrets: { LONGWAVE_SECRET: given } },
      { notification },
    );
  await act(secret);
  assert.deepEqual(refusals, []);
  assert.deepEqual(await bodies(), ["123456 is your verification code for Acme."]);
  await act("wrong");
  assert.equal(refusals.length, 1);
});

test("Alertmanager sends an alert by its page's receiver", {
  skip: missing("prometheus-alertmanager", "prometheus-alertmanager"),
}, async (t) => {
  const { bodies, filled } = await startHook(t, "alertmanager", { recipients: [PHONE] });
  const folder = await mkdtemp(join(tmpdir(), "lw-alertmanager-"));
  const config = join(folder, "alertmanager.yml");
  const route = "route:\n  receiver: longwave\n  group_wait: 0s\n";
  await writeFile(config, route + filled(oneBlock(await pageOf("alertmanager.md"), "yaml")));
  const address = `127.0.0.1:${await freePort()}`;
  const settings = [`--config.file=${config}`, `--storage.path=${folder}`];
  const network = [`--web.listen-address=${address}`, "--cluster.listen-address="];
  const program = spawn("prometheus-alertmanager", [...settings, ...network], { stdio: "ignore" });
  t.after(async () => {
    const ended = once(program, "exit");
    program.kill();
    await ended;
    await rm(folder, { recursive: true });
  });
  await until(
    async () => (await fetch(`http://${address}/-/ready`).catch(() => null))?.ok === true,
  );
  const alert = { labels: { alertname: "Disk" }, annotations: { summary: "The disk is full." } };
  const posted = await fetch(`http://${address}/api/v2/alerts`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify([alert]),
  });
  assert.equal(posted.status, 200, await posted.text());
  await until(async () => (await bodies()).length > 0);
  const [body = ""] = await bodies();
  assert.match(body, /^\[firing\].*Disk.*The disk is full\.$/);
});
