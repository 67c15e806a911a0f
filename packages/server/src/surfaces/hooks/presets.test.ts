/** The documented calls of every preset's program, made as its source code and documentation say. */
import assert from "node:assert/strict";
import { createHmac, randomUUID } from "node:crypto";
import { describe, it } from "node:test";
import { HOOK_PRESET_NAMES, HOOK_PRESETS, type HookPresetName } from "@longwave/contract";
import { freshAccounts } from "../../../testing/fresh-account.ts";
import { giveNumber } from "../../../testing/give-number.ts";
import type { Answer, Kit } from "../../../testing/kit.ts";

const FROM = "+15005550100";
const PHONE = "+15005550000";

interface MadeHook {
  readonly id: string;
  readonly path: string;
  readonly secret: string;
}

type Headers = Readonly<Record<string, string>>;

/** A call of the program: its headers, and what must come of it. */
interface Program {
  readonly headers: (body: string, secret: string) => Headers;
  readonly text: string;
  /** Body of the answer, where the program reads it. */
  readonly answer?: (body: string) => void;
  /** Answer to a refusal, where the program reads one. */
  readonly refusal?: (answer: { status: number; text: string }) => void;
}

const bearer: Program["headers"] = (_, secret) => ({ authorization: `Bearer ${secret}` });
const seconds = () => String(Math.floor(Date.now() / 1_000));

/** Standard Webhooks, as Supabase signs: the key is the base64 part of v1,whsec_…. */
function standardWebhooks(body: string, secret: string): Headers {
  const [id, timestamp] = [randomUUID(), seconds()];
  const key = Buffer.from(secret.replace("v1,whsec_", ""), "base64");
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`);
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    // Supabase joins the signatures of several secrets like this.
    "webhook-signature": `v1,${signature.digest("base64")}, v1,b2xk`,
  };
}

function zitadelSignature(body: string, secret: string): Headers {
  const timestamp = seconds();
  const signature = createHmac("sha256", secret).update(`${timestamp}.${body}`).digest("hex");
  return { "zitadel-signature": `t=${timestamp},v1=${signature}` };
}

const PROGRAMS: Readonly<Record<HookPresetName, Program>> = {
  supabase: {
    headers: standardWebhooks,
    text: "Your code is 561166.",
    answer: (body) => assert.equal(body, "{}"),
    refusal: ({ status, text }) => {
      assert.equal(status, 200, "Supabase reads the reason from status 200 alone");
      const { error } = JSON.parse(text);
      assert.equal(error.http_code, 400);
      assert.match(error.message, /opted out/);
    },
  },
  zitadel: {
    headers: zitadelSignature,
    text: "A new phone number has been added. Please use the following code to verify it 0M53RF",
  },
  auth0: { headers: bearer, text: "123456 is your verification code for Acme." },
  kratos: { headers: bearer, text: "Your login code is: 123456" },
  keycloak: { headers: bearer, text: "Your SMS code is 123456." },
  authentik: { headers: bearer, text: "Use this code to authenticate in authentik: 123456" },
  novu: {
    headers: (_, secret) => ({ "x-api-key": secret }),
    text: "Your order has shipped.",
    answer: (body) => {
      const { id, date } = JSON.parse(body);
      assert.match(id, /^msg_/);
      assert.ok(!Number.isNaN(Date.parse(date)), date);
    },
  },
  listmonk: {
    headers: (_, secret) => ({
      authorization: `Basic ${Buffer.from(`listmonk:${secret}`).toString("base64")}`,
    }),
    text: "The spring sale starts today.",
  },
  alertmanager: { headers: bearer, text: "[firing] HighLatency: High request latency" },
  grafana: { headers: bearer, text: "[FIRING:1]  (blue): CPU above 80% for five minutes" },
  uptime_kuma: { headers: bearer, text: "[website] [🔴 Down] timeout" },
  gatus: { headers: bearer, text: "website TRIGGERED: health check failed" },
  home_assistant: { headers: bearer, text: "The front door is open." },
};

async function makeHook(kit: Kit, preset: HookPresetName): Promise<MadeHook> {
  await giveNumber(kit);
  const { needsRecipients } = HOOK_PRESETS.get(preset) ?? {};
  const recipients = needsRecipients ? [PHONE] : [];
  const body = { name: preset, from: FROM, preset, recipients };
  const made = await kit.request("POST", "/v1/hooks", { body });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const { id, url, secret } = made.body;
  return { id, path: new URL(url, kit.url).pathname, secret };
}

const sampleOf = (preset: HookPresetName) => JSON.stringify(HOOK_PRESETS.get(preset)?.sample);

async function post(kit: Kit, path: string, body: string, headers: Headers) {
  const type = { "content-type": "application/json" };
  const answer = await fetch(kit.url + path, {
    method: "POST",
    headers: { ...type, ...headers },
    body,
  });
  return { status: answer.status, text: await answer.text(), headers: answer.headers };
}

async function requestsOf(kit: Kit, { id }: MadeHook): Promise<Answer["body"][]> {
  return (await kit.request("GET", `/v1/hooks/${id}/requests`)).body.data;
}

describe("presets of hooks", () => {
  const account = freshAccounts();

  it("every preset has a program here", () => {
    assert.deepEqual([...HOOK_PRESETS.keys()], [...HOOK_PRESET_NAMES]);
    assert.deepEqual(new Set(Object.keys(PROGRAMS)), new Set(HOOK_PRESET_NAMES));
  });

  for (const preset of HOOK_PRESET_NAMES) {
    const program = PROGRAMS[preset];

    it(`${preset}: the documented call sends its message`, async (t) => {
      const kit = await account(t);
      const hook = await makeHook(kit, preset);
      const body = sampleOf(preset);
      const sent = await post(kit, hook.path, body, program.headers(body, hook.secret));
      assert.equal(sent.status, 200, sent.text);
      program.answer?.(sent.text);
      const rows = await kit.rows("select to_number, from_number, body from messages");
      assert.deepEqual(rows, [{ to_number: PHONE, from_number: FROM, body: program.text }]);
      const [request] = await requestsOf(kit, hook);
      assert.deepEqual([request.status, request.error], [200, null]);
      assert.equal(request.messages[0].to, PHONE);
      assert.match(request.messages[0].message_id, /^msg_/);
      const isCode = HOOK_PRESETS.get(preset)?.declaration.purpose === "codes";
      assert.equal(request.messages[0].body === program.text, !isCode, "the log hides codes");
    });

    it(`${preset}: a call that the secret did not make is refused`, async (t) => {
      const kit = await account(t);
      const hook = await makeHook(kit, preset);
      const body = sampleOf(preset);
      const signed = program.headers(body, `${hook.secret.slice(0, -4)}AAA=`);
      for (const headers of [{}, signed]) {
        const refused = await post(kit, hook.path, body, headers);
        assert.equal(refused.status, 401, refused.text);
        assert.equal(JSON.parse(refused.text).error.code, "invalid_api_key");
      }
      assert.deepEqual(await kit.rows("select 1 from messages"), []);
      const noted = await requestsOf(kit, hook);
      assert.deepEqual(
        noted.map((one) => [one.status, one.error.code, one.messages]),
        [[401, "invalid_api_key", []]],
        "strangers cannot fill the log",
      );
    });

    it(`${preset}: a recipient who has opted out is refused`, async (t) => {
      const kit = await account(t);
      const hook = await makeHook(kit, preset);
      const opted = { phone_number: PHONE, status: "opted_out", source: "test" };
      assert.equal((await kit.request("POST", "/v1/consent", { body: opted })).status, 201);
      const body = sampleOf(preset);
      const refused = await post(kit, hook.path, body, program.headers(body, hook.secret));
      if (program.refusal) program.refusal(refused);
      else assert.equal(JSON.parse(refused.text).error.code, "recipient_opted_out", refused.text);
      const [request] = await requestsOf(kit, hook);
      assert.equal(request.error.code, "recipient_opted_out");
      assert.equal(request.messages[0].message_id, null);
    });
  }
});
