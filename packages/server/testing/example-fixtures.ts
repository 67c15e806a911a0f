import { ID_PREFIXES, type IdKind, type RouteName } from "@longwave/contract";
import { Longwave } from "@longwave/sdk";
import { accountOf } from "../src/account/accounts/index.ts";
import { fromApiId, toApiId } from "../src/core/platform/ids.ts";
import { grantFirstNumber } from "../src/network/numbers/index.ts";
import { EMPTY_PLAN } from "../src/surfaces/importer/index.ts";
import {
  draftRegistration,
  readyRegistration,
  submittedRegistration,
} from "./example-registrations.ts";
import type { Overrides, Stage } from "./example-stage.ts";
import { giveHook } from "./give-hook.ts";
import { type Kit, OPERATOR_TOKEN } from "./kit.ts";
import { checkedFetch } from "./openapi-check.ts";
import { until } from "./until.ts";

export type { Overrides, Stage };

/**
 * Makers of real objects. Every made-up id in an example's path, query and body is replaced by a real id
 * before the example runs.
 */
const MAKERS: { readonly [K in IdKind]?: (stage: Stage) => Promise<string> } = {
  account: async (stage) => stage.accountId,
  account_deletion: async ({ kit }) => {
    const { id: account_id, name } = await kit.operatorApi.accounts.create({ name: "Deleted" });
    await kit.operatorApi.accounts.delete(account_id, { confirm: name });
    return (await kit.operatorApi.accountDeletions.list({ account_id })).data[0]?.id ?? "";
  },
  account_import: async ({ kit, testKey }) => {
    const body = { provider: "telnyx", secret: "none", dry_run: true };
    const made = await kit.request("POST", "/console/v1/imports", { body, key: testKey });
    return made.body.id;
  },
  api_key: async ({ kit, accountId }) =>
    (await kit.operatorApi.keys.create(accountId, { mode: "test" })).id,
  price: async ({ kit }) =>
    (await kit.operatorApi.prices.create({ item: "outbound", country: "CA", amount_usd: 0.01 })).id,
  erasure: async ({ kit, liveKey }) => {
    const body = { phone_number: "+14155550188" };
    return (await kit.request("POST", "/v1/erasures", { body, key: liveKey })).body.id;
  },
  operator_token: async ({ kit }) => (await kit.operatorApi.tokens.create({ name: "Example" })).id,
  automation: async (stage) => madeAutomation(stage),
  automation_run: async (stage) => {
    await stage.api.contacts.upsert({ phone_number: "+15005550000" });
    const id = await madeAutomation(stage);
    await stage.api.automations.track({ event: "signed_up", phone_number: "+15005550000" });
    const { data } = await stage.api.automations.runs(id);
    return data[0]?.id ?? "";
  },
  batch: async (stage) => scheduledBatch(stage),
  contact: async ({ api }) => (await api.contacts.upsert({ phone_number: EXAMPLE_NUMBER })).id,
  conversation_note: async (stage) => {
    await hasConversation(stage);
    return (await stage.api.conversations.addNote(EXAMPLE_NUMBER, { body: "Called back" })).id;
  },
  snippet: async ({ api }) => (await api.snippets.create({ name: "Hello", body: "Hi!" })).id,
  customer: async ({ api }) => (await api.customers.create({ name: "Acme Dental" })).id,
  message: async (stage) => sentMessage(stage, {}),
  scheduled_message: async (stage) =>
    sentMessage(stage, { scheduled_at: stage.kit.deps.clock.now() + 3_600_000 }),
  schedule: async (stage) => madeSchedule(stage),
  user: async (stage) => (await madePerson(stage, true)).id,
  webhook_endpoint: async ({ api }) => (await api.webhooks.create({ url: ENDPOINT_URL })).id,
  hook: async ({ api }) => giveHook(api, EXAMPLE_NUMBER),
  event: async (stage) => {
    await ownsNumber(stage);
    const { data } = await stage.api.events.list({ limit: 1 });
    return data[0]?.id ?? "";
  },
  segment: async ({ api }) => {
    const filter = { field: "tag", op: "is", value: "vip" } as const;
    return (await api.segments.create({ name: "VIPs", filter })).id;
  },
  topic: async ({ api }) => (await api.topics.create({ name: "News" })).id,
  verification: async ({ api }) => (await api.verify.start({ phone: "+15005550000" })).id,
  port_request: async ({ kit, accountId: account_id }) => {
    const phone_number = `+1206556${String(portedNumbers++).padStart(4, "0")}`;
    const asked = { account_id, phone_number, provider: "twilio" };
    return (await kit.operatorApi.portRequests.create(asked)).id;
  },
  registration: async (stage) => draftRegistration(stage),
  pool: async ({ api }) => (await api.pools.create({ name: "Support", numbers: [] })).id,
};

/** Counter of ported numbers: a number can have one open port request. */
let takenNumbers = 2_000;
let portedNumbers = 2_000;

/** Number in the examples of number routes. */
const EXAMPLE_NUMBER = "+14155550123";
const ENDPOINT_URL = "https://hooks.example.com/in";

async function ownsNumber({ api }: Stage): Promise<Overrides> {
  await api.numbers.create({ phone_number: EXAMPLE_NUMBER });
  return {};
}

const INBOX_NUMBER = "+12065550150";

async function hasConversation({ api }: Stage): Promise<Overrides> {
  await api.numbers.create({ phone_number: INBOX_NUMBER });
  await api.test.inbound({ from: EXAMPLE_NUMBER, to: INBOX_NUMBER, body: "Are you open today?" });
  return {};
}

async function hasConsent({ api }: Stage): Promise<Overrides> {
  const phone_number = EXAMPLE_NUMBER;
  await api.consent.record({ phone_number, status: "opted_in", source: "web_form" });
  return {};
}

async function sentMessage(stage: Stage, more: { scheduled_at?: number }): Promise<string> {
  await ownsNumber(stage);
  const body = { to: "+15005550000", from: EXAMPLE_NUMBER, body: "Hello", ...more };
  return ((await stage.api.messages.send(body)) as { id: string }).id;
}

async function scheduledBatch(stage: Stage): Promise<string> {
  return madeBatch(stage, { scheduled_at: stage.kit.deps.clock.now() + 3_600_000 });
}

async function madeBatch(stage: Stage, more: { scheduled_at?: number }): Promise<string> {
  await ownsNumber(stage);
  const recipients = [{ to: "+15005550000" }];
  const body = { from: EXAMPLE_NUMBER, body: "Hello", recipients, ...more };
  return ((await stage.api.batches.create(body)) as { id: string }).id;
}

async function pausedBatch(stage: Stage): Promise<Overrides> {
  const id = await scheduledBatch(stage);
  await stage.api.batches.pause(id);
  return { params: { id } };
}

async function completeBatch(stage: Stage): Promise<Overrides> {
  const id = await madeBatch(stage, {});
  await until(async () => (await stage.api.batches.get(id)).status === "complete");
  return { params: { id } };
}

async function madeAutomation(stage: Stage): Promise<string> {
  await ownsNumber(stage);
  const steps = [{ type: "send", from: EXAMPLE_NUMBER, body: "Welcome!" } as const];
  const settings = { name: "Welcome", trigger: { event: "signed_up" }, steps };
  return (await stage.api.automations.create(settings)).id;
}

async function hasVerifiedNumber({ kit, accountId }: Stage): Promise<Overrides> {
  const body = { phone_number: "+15005550000" };
  await kit.operator("POST", `/accounts/${accountId}/verified_numbers`, body);
  return {};
}

async function madeSchedule(stage: Stage): Promise<string> {
  await ownsNumber(stage);
  const text = { to: "+15005550000", from: EXAMPLE_NUMBER, body: "Hello" };
  const rule = { cron: "0 9 * * *", timezone: "America/New_York" };
  return (await stage.api.schedules.create({ ...text, ...rule })).id;
}

async function pausedSchedule(stage: Stage): Promise<Overrides> {
  const id = await madeSchedule(stage);
  await stage.api.schedules.pause(id);
  return { params: { id } };
}

async function ownsLiveNumber({ kit, liveKey }: Stage): Promise<Overrides> {
  const numbers = [{ phone_number: EXAMPLE_NUMBER, type: "local" as const }];
  await kit.operator("POST", "/inventory", { numbers });
  const body = { phone_number: EXAMPLE_NUMBER };
  await kit.request("POST", "/v1/numbers", { body, key: liveKey });
  return {};
}

async function vouchedNumber(stage: Stage): Promise<Overrides> {
  await ownsLiveNumber(stage);
  const body = { state: "active", reason: "Campaign at the provider", reference: "CMP-4711" };
  await stage.kit.operator("POST", `/numbers/${EXAMPLE_NUMBER}/sender`, body);
  return {};
}

/** A verified number waiting for its code, and the body with the code. */
async function enteredPhone({ api }: Stage): Promise<Overrides> {
  const { test_code } = await api.verifiedNumbers.create({ phone_number: EXAMPLE_NUMBER });
  return { body: { code: test_code ?? "" } };
}

async function withoutLiveAccess({ kit, accountId }: Stage): Promise<Overrides> {
  await kit.operator("PATCH", `/accounts/${accountId}`, { live_access: "none" });
  return {};
}

async function blockedPrefix({ kit, accountId }: Stage): Promise<Overrides> {
  const now = kit.deps.clock.now();
  await kit.rows(
    `insert into verification_blocks (shard, account_id, mode, prefix, rule, created_at, blocked_until)
     select a.shard, a.id, 'live', '+14155550', 'prefix', $1, $2 from accounts a where a.id = $3`,
    [new Date(now), new Date(now + 3_600_000), fromApiId("account", accountId)],
  );
  return {};
}

/** An import that no process runs, so that it does not end during the test. */
async function runningImport({ kit, accountId }: Stage): Promise<Overrides> {
  const { ids, clock } = kit.deps;
  const [id, now] = [ids.make(), new Date(clock.now())];
  await kit.rows(
    `insert into account_imports (shard, account_id, id, provider, dry_run, status, phase, done, plan, heartbeat_at, created_at)
     select shard, id, $1, 'telnyx', false, 'running', 'reading', 0, '${JSON.stringify(EMPTY_PLAN)}', $2, $3 from accounts where id = $4`,
    [id, now, now, fromApiId("account", accountId)],
  );
  return { params: { id: toApiId("account_import", id) } };
}

/** Sets the restore guard, as a start on a restored database does. */
async function restoredDatabase({ kit }: Stage): Promise<Overrides> {
  await kit.rows("update database_identity set held_since = now(), held_reason = 'An example.'");
  return {};
}

/** A console user. */
async function madePerson(
  { kit }: Stage,
  isOperator: boolean,
): Promise<{ id: string; email: string }> {
  const id = kit.deps.ids.make();
  const email = `${id}@example.com`;
  await kit.rows(
    `insert into users (id, email, email_key, password_hash, is_operator, created_at)
     values ($1, $2, $3, '', $4, now())`,
    [id, email, email, isOperator],
  );
  return { id: toApiId("user", id), email };
}

/** Setup of a route's example: preparation, and overrides of its fields. */
export const SETUPS: { readonly [N in RouteName]?: (stage: Stage) => Promise<Overrides> } = {
  "automations.test": hasVerifiedNumber,
  "batches.resume": pausedBatch,
  "batches.retry": completeBatch,
  "imports.cancel": runningImport,
  "conversations.get": hasConversation,
  "conversations.update": hasConversation,
  "conversations.notes": hasConversation,
  "conversations.addNote": hasConversation,
  "consent.get": hasConsent,
  "consent.proof": hasConsent,
  "numbers.get": ownsNumber,
  "numbers.update": ownsNumber,
  "numbers.delete": ownsNumber,
  "numbers.register": ownsLiveNumber,
  "operator.hold.release": restoredDatabase,
  "operator.operators.create": async (stage) => {
    const { email } = await madePerson(stage, false);
    return { body: { email } };
  },
  "account.update": spansModes,
  "erasures.create": spansModes,
  "operator.operators.delete": async (stage) => {
    await madePerson(stage, true);
    const { id } = await madePerson(stage, true);
    return { params: { id } };
  },
  "operator.carriers.create": async () => ({ body: freshCarrier() }),
  "operator.carriers.delete": hasCarrier,
  "operator.carriers.numbers": hasCarrier,
  "operator.carriers.keptCallbacks": hasCarrier,
  "operator.carriers.replayCallbacks": hasCarrier,
  "operator.carriers.setCallbacks": hasCarrier,
  "operator.carriers.takeNumbers": async (stage) => ({
    ...(await hasCarrier(stage)),
    body: { phone_numbers: [`+1206558${String(takenNumbers++).padStart(4, "0")}`] },
  }),
  "operator.numbers.vouch": ownsLiveNumber,
  "operator.numbers.endVouch": vouchedNumber,
  "operator.registrations.review": submittedRegistration,
  "operator.registrations.limit": submittedRegistration,
  "operator.verifyBlocks.delete": blockedPrefix,
  "verifiedNumbers.confirm": enteredPhone,
  "verifiedNumbers.get": enteredPhone,
  "verifiedNumbers.delete": enteredPhone,
  "liveAccess.request": withoutLiveAccess,
  "registrations.recheck": readyRegistration,
  "registrations.submit": readyRegistration,
  "schedules.resume": pausedSchedule,
  "verify.check": async ({ api }) => {
    await api.verify.start({ phone: "+15005550000" });
    return {};
  },
};

/** The stage's account has live access: what spans both modes needs its live key. */
async function spansModes({ liveKey }: Stage): Promise<Overrides> {
  return { key: liveKey };
}

/** Nobody is behind its address: its preset must be one whose account is not asked. */
function freshCarrier() {
  return { name: `c${takenNumbers++}`, base_url: "http://127.0.0.1:9", private_address: true };
}

async function hasCarrier({ kit }: Stage): Promise<Overrides> {
  const fields = { api_key: "0123456789abcdef" };
  const carrier = { ...freshCarrier(), preset: "infobip", fields };
  await kit.operatorApi.carriers.create(carrier);
  return { params: { name: carrier.name } };
}

/** Grants the examples' number, as the first run does. */
async function grantNumber({ deps }: Kit, accountId: string): Promise<void> {
  await deps.db.tx(async (tx) => grantFirstNumber(deps, tx, await accountOf(tx, accountId)));
}

export async function makeStage(kit: Kit): Promise<Stage> {
  const { id } = await kit.operatorApi.accounts.create({ name: "Example" });
  await kit.operatorApi.accounts.update(id, { live_access: "granted" });
  await kit.operatorApi.credits.create(id, { amount_usd: 100 });
  const test = await kit.operatorApi.keys.create(id, { mode: "test" });
  const live = await kit.operatorApi.keys.create(id, { mode: "live" });
  const testKey = test.key ?? "";
  await grantNumber(kit, id);
  const api = new Longwave({
    apiKey: testKey,
    operatorToken: OPERATOR_TOKEN,
    baseUrl: kit.url,
    retryDelaysMs: [],
    fetch: checkedFetch,
  });
  return { kit, accountId: id, testKey, liveKey: live.key ?? "", api };
}

/** Replaces every made-up id by a real one, at any depth. */
export async function withRealIds(
  stage: Stage,
  routeName: string,
  value: unknown,
): Promise<unknown> {
  if (typeof value === "string") return realId(stage, routeName, value);
  if (Array.isArray(value)) {
    return Promise.all(value.map((item) => withRealIds(stage, routeName, item)));
  }
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(async ([key, item]) => [
    key,
    await withRealIds(stage, routeName, item),
  ]);
  return Object.fromEntries(await Promise.all(entries));
}

async function realId(stage: Stage, routeName: string, text: string): Promise<string> {
  const kind = kindOf(text);
  if (!kind) return text;
  const make = MAKERS[kind];
  if (!make) {
    throw new Error(
      `The example of ${routeName} names a ${kind} (${text}), and nothing makes one: add a line "${kind}: async (stage) => …" to MAKERS in packages/server/testing/example-fixtures.ts.`,
    );
  }
  return make(stage);
}

function kindOf(text: string): IdKind | undefined {
  const kinds = Object.keys(ID_PREFIXES) as IdKind[];
  return kinds.find(
    (kind) =>
      text.startsWith(ID_PREFIXES[kind]) &&
      /^[0-7][0-9a-hjkmnp-tv-z]{25}$/.test(text.slice(ID_PREFIXES[kind].length)),
  );
}
