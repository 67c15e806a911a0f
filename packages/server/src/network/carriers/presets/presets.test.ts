import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { carriersFile } from "../../../../testing/smpp-stage.ts";
import type { HttpConfig } from "../config.ts";
import { DOUBLES } from "../doubles/index.ts";
import { readCarriersFile } from "../file.ts";
import { secretVariable } from "./entry.ts";
import { PRESETS } from "./index.ts";

async function read(t: TestContext, entry: object, env: Record<string, string> = {}) {
  const [config] = await readCarriersFile(await carriersFile(t, [entry]), env);
  assert.ok(config?.type === "http");
  return config satisfies HttpConfig;
}

test("every preset has a double, and reads the double's entry without a mistake", async (t) => {
  assert.deepEqual([...DOUBLES.keys()], [...PRESETS.keys()]);
  for (const [type, preset] of PRESETS) {
    const provider = DOUBLES.get(type)?.();
    assert.ok(provider);
    const base = { base_url: "https://api.example.com" };
    const { preset: named, http } = await read(
      t,
      { name: "own", ...provider.entry, ...base },
      provider.env,
    );
    assert.equal(named, type);
    assert.ok(http.url.startsWith("https://api.example.com/"), http.url);
    assert.ok(http.callbacks?.receipts && http.callbacks.inbound, type);
    assert.doesNotMatch(JSON.stringify(http), /\{\{|option\./, type);
    assert.ok(preset.sources.length > 0);
  }
});

test("an entry by hand names the variables that longwave carriers add reads", () => {
  for (const [type, double] of DOUBLES) {
    const { entry, env } = double();
    const secrets = Object.entries(entry).filter(([field]) => field.endsWith("_env"));
    const read = secrets.map(([field]) => secretVariable(type, field.replace(/_env$/, "")));
    const named = secrets.map(([, variable]) => variable);
    assert.deepEqual(named, read);
    assert.deepEqual(Object.keys(env), read);
  }
});

test("a preset needs one field or a few, and leaves out what the entry does not give", async (t) => {
  const { http } = await read(
    t,
    { name: "a", type: "telnyx", api_key_env: "KEY" },
    { KEY: "secret-key" },
  );
  assert.equal(http.url, "https://api.telnyx.com/v2/messages");
  assert.deepEqual(http.auth, { type: "header", value: "Bearer secret-key" });
  assert.deepEqual(http.callbacks?.signatures, []);
  assert.doesNotMatch(JSON.stringify(http.body), /messaging_profile_id/);
});

test("an entry that polls names no callback URL, and takes no callbacks", async (t) => {
  for (const [type, preset] of PRESETS) {
    if (!preset.options["poll_seconds"]) continue;
    const provider = DOUBLES.get(type)?.();
    assert.ok(provider?.list, type);
    const local = preset.options["local"] ? { local: true } : {};
    const base = { base_url: "https://api.example.com", poll_seconds: 20, ...local };
    const { http } = await read(t, { name: "own", ...provider.entry, ...base }, provider.env);
    assert.equal(http.callbacks, null, type);
    assert.equal(http.poll?.everyMs, 20_000, type);
    assert.doesNotMatch(JSON.stringify(http.body), /receipts_url|inbound_url/, type);
  }
});

test("SMSGate reads the inbox of the app alone: its servers answer 501 there", async (t) => {
  const provider = DOUBLES.get("smsgate")?.();
  assert.ok(provider);
  const entryWith = async (more: object) => {
    const base = { name: "own", ...provider.entry, base_url: "https://phone.example" };
    return (await read(t, { ...base, ...more }, provider.env)).http;
  };
  const server = await entryWith({ poll_seconds: 20 });
  assert.equal(server.poll?.receipts?.url, "https://phone.example/3rdparty/v1/messages");
  assert.equal(server.poll?.inbound, null);
  assert.equal(server.callbacks?.receipts, null);
  assert.ok(server.callbacks?.inbound && server.callbacks.signatures.length === 1);
  const app = await entryWith({ poll_seconds: 20, local: true });
  assert.equal(app.url, "https://phone.example/messages");
  assert.equal(app.poll?.inbound?.url, "https://phone.example/inbox");
  assert.equal(app.callbacks, null);
  assert.deepEqual(await entryWith({ local: false }), await entryWith({}));
  const { inbound } = (await entryWith({ local: true })).callbacks ?? {};
  assert.ok(inbound, "a phone that can call the server needs no polls");
});

test("every common field and every field of the declaration can stand beside a preset", async (t) => {
  const declared = {
    destinations: ["+1"],
    priority: 3,
    rate: 7,
    rate_unit: "segments",
    number_rate: { "+14155550100": 2, "*": 1 },
    window: 5,
    binds: 2,
    answer_seconds: 4,
    headers: { "x-own": "1" },
    query: { own: "1" },
    answer: { errors: { "777": "landline" } },
    callbacks: { inbound: { part: { reference: "r", total: "t", number: "n" } } },
  };
  for (const [type, double] of DOUBLES) {
    const { entry, env } = double();
    const base = { name: "own", ...entry, base_url: "https://api.example.com" };
    const { destinations, priority, http } = await read(t, { ...base, ...declared }, env);
    assert.deepEqual(destinations, ["+1"], type);
    assert.equal(priority, 3, type);
    assert.deepEqual([http.ratePerSecond, http.rateUnit, http.window], [7, "segments", 5], type);
    assert.deepEqual([http.binds, http.answerMs], [2, 4_000], type);
    assert.equal(http.numberRates?.get("+14155550100"), 2, type);
    assert.ok(
      http.headers.some(([name]) => name === "x-own"),
      type,
    );
    assert.ok(http.query !== null, type);
    assert.equal(http.answer.errors.get("777"), "landline", type);
    assert.ok(http.callbacks?.inbound?.part, type);
  }
});

test("an entry's own fields replace those of its preset", async (t) => {
  const entry = {
    name: "a",
    type: "sinch",
    plan_id: "plan",
    token_env: "TOKEN",
    region: "eu",
    rate: 5,
    answer_seconds: 3,
    body: { type: "mt_text" },
    callbacks: { inbound: { to: { number: "+14155550100" } } },
  };
  const { http } = await read(t, entry, { TOKEN: "secret-token" });
  assert.equal(http.url, "https://eu.sms.api.sinch.com/xms/v1/plan/batches");
  assert.deepEqual([http.ratePerSecond, http.answerMs], [5, 3_000]);
  assert.match(JSON.stringify(http.body), /mt_text/);
  assert.match(JSON.stringify(http.body), /client_reference/);
  assert.equal(http.callbacks?.inbound?.to.literal, "+14155550100");
  assert.deepEqual(http.callbacks?.inbound?.from, [["from"]]);
});

test("mistakes in a preset's fields are reported under their own names, once each", async (t) => {
  const mistakes: [entry: object, says: RegExp][] = [
    [{ type: "telnyx" }, /api_key_env is missing: it takes the name of a variable\.$/],
    [{ type: "telnyx", api_key_env: "NONE" }, /api_key_env names NONE, which is not set\.$/],
    [
      { type: "telnyx", api_key_env: "KEY", profile: "x" },
      /carriers\[0\]\.profile is not a known field\.$/,
    ],
    [{ type: "infobip", api_key_env: "KEY" }, /base_url is missing: Infobip gives each customer/],
    [
      { type: "twilio", account_sid: "AC1", auth_token_env: "KEY" },
      /account_sid takes AC and 32 hex digits\.$/,
    ],
    [
      { type: "plivo", auth_id: "MA", auth_token_env: "KEY", base_url: "http://10.0.0.1" },
      /url must begin with https:\/\/, unless private_address is true\.$/,
    ],
    [
      {
        type: "textbee",
        device_id: "d",
        api_key_env: "KEY",
        phone_number: "+14155550100",
        signing_secret_env: "KEY",
      },
      /signing_secret_env names KEY, whose value is too short: it takes 20 characters\.$/,
    ],
    [{ type: "telnix" }, /type takes "simulator" or "smpp" or "http" or "telnyx" or /],
  ];
  for (const [entry, says] of mistakes) {
    const file = await carriersFile(t, [{ name: "a", ...entry }]);
    await assert.rejects(readCarriersFile(file, { KEY: "secret-key" }), (error: Error) => {
      assert.match(error.message, says);
      assert.equal(error.message.split("\n").length, 1, error.message);
      return true;
    });
  }
});
