import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { describe, type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { giveNumber } from "../../packages/server/testing/give-number.ts";
import { suiteKit } from "../../packages/server/testing/suite.ts";
import { until } from "../../packages/server/testing/until.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const NUMBER = "+15005550100";
const START_MS_MAX = 60_000;

describe("the examples", () => {
  const kit = suiteKit();

  /** Starts an example as `npm run example` does, and reads its output. */
  function start(t: TestContext, name: string) {
    const child: ChildProcess = spawn(process.execPath, ["scripts/example.mjs", name], {
      cwd: ROOT,
      env: {
        PATH: process.env["PATH"] ?? "",
        LONGWAVE_URL: kit().url,
        LONGWAVE_API_KEY: kit().testKey,
        PORT: "0",
      },
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        output += text;
      });
    }
    const ended = once(child, "close");
    t.after(async () => {
      child.kill("SIGTERM");
      await ended;
    });
    return {
      ended,
      output: () => output,
      async address() {
        await until(() => /Open http/.test(output) || child.exitCode !== null, START_MS_MAX);
        return /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0] ?? assert.fail(output);
      },
    };
  }

  const form = (url: string, fields: Record<string, string>) =>
    fetch(url, { method: "POST", body: new URLSearchParams(fields), redirect: "manual" });

  test("sign-in: a wrong code keeps out, the right one lets in", async (t) => {
    await giveNumber(kit(), { phone: NUMBER });
    const url = await start(t, "sign-in").address();
    const phone = "+15005550000";
    assert.equal((await fetch(`${url}/me`)).status, 401);
    const asked = await form(`${url}/sign-in`, { phone });
    assert.equal(asked.status, 200);
    const shown = /<code>(\d{6})<\/code>/.exec(await asked.text())?.[1];
    assert.equal((await form(`${url}/sign-in`, { phone: "12" })).status, 400);
    // A second request sends the same code again, which the sandbox shows.
    const { test_code: code = "" } = await kit().api.verify.start({ phone });
    assert.equal(shown, code, "the sandbox shows the code, as nobody gets the text");
    const wrong = code === "000000" ? "000001" : "000000";
    assert.equal((await form(`${url}/sign-in/check`, { phone, code: wrong })).status, 401);
    const welcome = await form(`${url}/sign-in/check`, { phone, code: code ?? "" });
    assert.deepEqual([welcome.status, welcome.headers.get("location")], [303, "/me"]);
    const [cookie = ""] = (welcome.headers.get("set-cookie") ?? "").split(";");
    const me = await fetch(`${url}/me`, { headers: { cookie } });
    assert.equal(me.status, 200);
    assert.ok((await me.text()).includes(`You are ${phone}.`));
  });

  test("inbox: inbound messages are shown, and can be answered", async (t) => {
    const url = await start(t, "inbox").address();
    const them = "+15005550015";
    const said = async () => {
      const all = (await (await fetch(`${url}/conversations`)).json()) as Partial<
        Record<string, { who: string; text: string }[]>
      >;
      return (all[them] ?? []).map(({ who, text }) => `${who}: ${text}`);
    };
    await until(async () => {
      // The first call of the long poll sets the cursor; earlier messages are not returned.
      await kit().api.test.inbound({ from: them, to: NUMBER, body: "Is it <open>?" });
      return (await said()).length > 0;
    });
    assert.ok((await (await fetch(url)).text()).includes("Is it &lt;open&gt;?"));
    assert.equal((await form(`${url}/answer`, { to: them, body: "Yes." })).status, 303);
    assert.equal((await said()).at(-1), "us: Yes.");
    assert.equal((await form(`${url}/answer`, { to: "12", body: "Yes." })).status, 400);
    const { data } = await kit().api.messages.list({ to: them });
    assert.deepEqual(
      data.map(({ body }) => body),
      ["Yes."],
    );
  });

  test("newsletter: only subscribed contacts of the segment get the issue", async (t) => {
    const program = start(t, "newsletter");
    const [code] = await program.ended;
    assert.equal(code, 0, program.output());
    const [readers, ...lines] = program.output().trimEnd().split("\n");
    assert.match(readers ?? "", /^2 readers, USD [\d.]+$/);
    assert.equal(lines.pop(), "2 sent, 0 failed");
    // A segment has no documented order.
    assert.deepEqual(lines.map((line) => line.split(",")[0]).sort(), [
      "  +15005550000: Hi Ada",
      "  +15005550011: Hi Grace",
    ]);
    const { data } = await kit().api.messages.list({ limit: 100 });
    const issue = data.filter(
      ({ body, direction }) => direction === "outbound" && /pumpkins/.test(body),
    );
    assert.deepEqual(issue.map(({ to, body }) => [to, body.slice(0, 9)]).sort(), [
      ["+15005550000", "Hi Ada, t"],
      ["+15005550011", "Hi Grace,"],
    ]);
  });

  test("reminders: one is sent a day before, and the reply is understood", async (t) => {
    const url = await start(t, "reminders").address();
    const states = async () => {
      const all = (await (await fetch(`${url}/appointments`)).json()) as {
        id: string;
        state: string;
      }[];
      return all.map(({ state }) => state);
    };
    assert.deepEqual(await states(), ["reminder planned", "reminder planned"]);
    const reminded = async () => {
      const { data } = await kit().api.messages.list({ to: "+15005550014" });
      return data.some(({ body }) => /^Hi Grace, see you tomorrow/.test(body));
    };
    assert.equal(await reminded(), false);
    await kit().advance(2 * 86_400);
    assert.equal(await reminded(), true);
    await until(async () => {
      await kit().api.test.inbound({ from: "+15005550014", to: NUMBER, body: " c " });
      return (await states())[1] === "confirmed";
    });
    assert.equal((await states())[0], "reminder planned");
    assert.match(await (await fetch(url)).text(), /<td>Grace<\/td>.*<td>confirmed<\/td>/);
  });
});
