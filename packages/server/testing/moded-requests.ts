import assert from "node:assert/strict";
import type { GuardedRouteName, Mode } from "@longwave/contract";
import { toApiId } from "../src/core/platform/ids.ts";
import { handleInboundMessage } from "../src/messaging/inbound/receive.ts";
import { giveNumber } from "./give-number.ts";
import { giveRegistration, review, submit } from "./give-registration.ts";
import type { Kit } from "./kit.ts";
import { stock } from "./live.ts";

/** A request that names an object of one mode. Keys of either mode can send it. */
export interface ModedRequest {
  /** Path below `/v1`. */
  readonly path: string;
  readonly body?: unknown;
  /** False if even a key of the object's own mode is refused. */
  readonly isAllowed?: false;
}

/** Creates objects of one mode in the kit's account. */
export interface ModedStage {
  readonly kit: Kit;
  readonly mode: Mode;
  readonly key: string;
  /** A number of the mode that may send to anybody. */
  readonly from: string;
  /** A phone that nothing else in the test messages. */
  readonly to: string;
  /** An endpoint that receives replayed events only. */
  readonly endpointId: string;
}

const VERIFIED = "+15005550000";
let phones = 0;

/** Prepares the kit's account: a sender of each mode, a verified phone, an endpoint. */
export async function modedStages(
  kit: Kit,
  endpointUrl: string,
  events: readonly string[] = ["test.ping"],
): Promise<(mode: Mode) => ModedStage> {
  const senders = {
    test: await giveNumber(kit),
    live: await giveNumber(kit, {
      phone: "+18885550100",
      mode: "live",
      type: "toll_free",
      senderState: "active",
    }),
  };
  const account = toApiId("account", kit.account.id);
  await kit.operator("POST", `/accounts/${account}/verified_numbers`, { phone_number: VERIFIED });
  const endpoint = await kit.request("POST", "/v1/webhooks", {
    body: { url: endpointUrl, events },
  });
  assert.equal(endpoint.status, 201, JSON.stringify(endpoint.body));
  return (mode) => {
    phones += 1;
    return {
      kit,
      mode,
      key: mode === "test" ? kit.testKey : kit.liveKey,
      from: senders[mode],
      to: `+1415556${String(phones).padStart(4, "0")}`,
      endpointId: endpoint.body.id,
    };
  };
}

async function call({ kit, key }: ModedStage, method: string, path: string, body?: unknown) {
  const answer = await kit.request(method, `/v1${path}`, { key, body });
  assert.ok(answer.status < 300, `${method} ${path}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

function inAnHour({ kit }: ModedStage): number {
  return kit.deps.clock.now() + 3_600_000;
}

async function scheduledBatch(stage: ModedStage): Promise<string> {
  const { from, to } = stage;
  const body = { from, body: "Hi", recipients: [{ to }], scheduled_at: inAnHour(stage) };
  return (await call(stage, "POST", "/batches", body)).id;
}

async function completeBatch(stage: ModedStage): Promise<string> {
  const { from, to } = stage;
  const body = { from, body: "Hi", recipients: [{ to }] };
  const { id } = await call(stage, "POST", "/batches", body);
  await stage.kit.advance(5);
  return id;
}

function scheduleOf({ from, to }: ModedStage) {
  return { from, to, body: "Hi", cron: "0 9 * * *", timezone: "America/New_York" };
}

async function schedule(stage: ModedStage): Promise<string> {
  return (await call(stage, "POST", "/schedules", scheduleOf(stage))).id;
}

function automationOf({ from }: ModedStage) {
  const steps = [{ type: "send", from, body: "Welcome!" }];
  return { name: "Welcome", trigger: { event: "signed_up" }, steps };
}

async function automation(stage: ModedStage): Promise<string> {
  return (await call(stage, "POST", "/automations", automationOf(stage))).id;
}

/** A number of the mode that nothing else uses. */
async function spareNumber({ kit, mode }: ModedStage): Promise<string> {
  phones += 1;
  const phone = `+1206555${String(1_000 + phones)}`;
  return giveNumber(kit, { phone, mode });
}

async function rejectedRegistration({ kit, key }: ModedStage): Promise<string> {
  const id = await giveRegistration(kit);
  await submit(kit, id, key);
  await review(kit, id, { decision: "reject", code: "carrier.rejected" });
  return id;
}

/** A conversation with the stage's person in the stage's mode. */
async function conversation({ kit, mode, from, to }: ModedStage): Promise<string> {
  const texted = { from: to, to: from, body: "Hello?" };
  if (mode === "test") {
    const answer = await kit.request("POST", "/v1/test/inbound", { body: texted });
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
  } else {
    const payload = { ...texted, carrier: "a", reference: null };
    await kit.deps.db.tx((tx) => handleInboundMessage(kit.deps, tx, { carrier: "a", payload }));
  }
  return `/conversations/${to}`;
}

const SAMPLES = [
  "Hillside Dental: your visit is on Friday at ten. Reply C to confirm it.",
  "Hillside Dental: the results that you asked for are ready at the desk.",
];

/** Path of a new hook. */
async function hook(stage: ModedStage): Promise<string> {
  const body = { name: "Codes", from: stage.from, preset: "supabase" };
  return `/hooks/${(await call(stage, "POST", "/hooks", body)).id}`;
}

/**
 * One request for each guarded route, naming an object of the stage's mode. The table is total: a guarded route
 * without a line does not compile.
 */
export const MODED_REQUESTS: {
  readonly [N in GuardedRouteName]: (stage: ModedStage) => Promise<ModedRequest>;
} = {
  "messages.deleteBody": async (stage) => {
    const { from, to } = stage;
    const { id } = await call(stage, "POST", "/messages", { from, to, body: "Hi" });
    return { path: `/messages/${id}/body` };
  },
  "conversations.update": async (stage) => ({
    path: await conversation(stage),
    body: { status: "closed" },
  }),
  "conversations.addNote": async (stage) => ({
    path: `${await conversation(stage)}/notes`,
    body: { body: "Called back" },
  }),
  "conversations.deleteNote": async (stage) => {
    const path = `${await conversation(stage)}/notes`;
    return { path: `${path}/${(await call(stage, "POST", path, { body: "Called back" })).id}` };
  },
  "numbers.create": async (stage) => {
    phones += 1;
    const isLive = stage.mode === "live";
    const phone_number = isLive ? `+1206556${1_000 + phones}` : `+12125550${100 + (phones % 100)}`;
    if (isLive) await stock(stage.kit, phone_number);
    return { path: "/numbers", body: { phone_number } };
  },
  "numbers.update": async (stage) => ({
    path: `/numbers/${await spareNumber(stage)}`,
    body: { customer_id: null, label: "Front desk" },
  }),
  "numbers.delete": async (stage) => ({ path: `/numbers/${await spareNumber(stage)}` }),
  "numbers.register": async (stage) => ({
    path: `/numbers/${await spareNumber(stage)}/registration`,
    body: { registration_id: await giveRegistration(stage.kit) },
    // Linking is live-only, and a test number has nothing to link.
    ...(stage.mode === "test" ? { isAllowed: false } : {}),
  }),
  "pools.create": async ({ from }) => ({ path: "/pools", body: { name: "Desk", numbers: [from] } }),
  "pools.update": async (stage) => {
    const { id } = await call(stage, "POST", "/pools", { name: "Desk", numbers: [] });
    return { path: `/pools/${id}`, body: { name: "Desk", numbers: [stage.from] } };
  },
  "pools.delete": async (stage) => {
    const { id } = await call(stage, "POST", "/pools", { name: "Desk", numbers: [stage.from] });
    return { path: `/pools/${id}` };
  },
  "hooks.update": async (stage) => ({ path: await hook(stage), body: { active: false } }),
  "hooks.delete": async (stage) => ({ path: await hook(stage) }),
  "hooks.rotateSecret": async (stage) => ({ path: `${await hook(stage)}/rotate_secret` }),
  "hooks.test": async (stage) => ({ path: `${await hook(stage)}/test` }),
  "messages.send": async ({ from, to }) => ({ path: "/messages", body: { from, to, body: "Hi" } }),
  "scheduledMessages.delete": async (stage) => {
    const { from, to } = stage;
    const body = { from, to, body: "Hi", scheduled_at: inAnHour(stage) };
    const { id } = await call(stage, "POST", "/messages", body);
    return { path: `/scheduled_messages/${id}` };
  },
  "test.inbound": async ({ mode, from, to }) => ({
    path: "/test/inbound",
    body: { from: to, to: from, body: "Hello" },
    ...(mode === "live" ? { isAllowed: false } : {}),
  }),
  "events.replay": async (stage) => {
    const { from, to, endpointId } = stage;
    const { id: message } = await call(stage, "POST", "/messages", { from, to, body: "Hi" });
    await stage.kit.advance(1);
    const { data } = await call(stage, "GET", "/events?type=message.sent");
    const event = data.find(
      (one: { data: { message_id: string } }) => one.data.message_id === message,
    );
    return { path: `/events/${event.id}/replay`, body: { endpoint_id: endpointId } };
  },
  "batches.create": async ({ from, to }) => ({
    path: "/batches",
    body: { from, body: "Hi", recipients: [{ to }] },
  }),
  "batches.update": async (stage) => ({
    path: `/batches/${await scheduledBatch(stage)}`,
    body: { name: "Spring" },
  }),
  "batches.pause": async (stage) => ({ path: `/batches/${await scheduledBatch(stage)}/pause` }),
  "batches.resume": async (stage) => {
    const id = await scheduledBatch(stage);
    await call(stage, "POST", `/batches/${id}/pause`);
    return { path: `/batches/${id}/resume` };
  },
  "batches.cancel": async (stage) => ({ path: `/batches/${await scheduledBatch(stage)}/cancel` }),
  "batches.retry": async (stage) => ({ path: `/batches/${await completeBatch(stage)}/retry` }),
  "verify.start": async ({ from, to }) => ({ path: "/verify", body: { phone: to, from } }),
  "verify.check": async (stage) => {
    const { from, to } = stage;
    await call(stage, "POST", "/verify", { phone: to, from });
    return { path: "/verify/check", body: { phone: to, code: "000000" } };
  },
  "registrations.recheck": async (stage) => ({
    path: `/registrations/${await rejectedRegistration(stage)}/recheck`,
    body: { sample_messages: SAMPLES },
  }),
  "registrations.submit": async (stage) => {
    const id = await rejectedRegistration(stage);
    await call(stage, "POST", `/registrations/${id}/recheck`, { sample_messages: SAMPLES });
    return { path: `/registrations/${id}/submit` };
  },
  "automations.create": async (stage) => ({ path: "/automations", body: automationOf(stage) }),
  "automations.update": async (stage) => ({
    path: `/automations/${await automation(stage)}`,
    body: { status: "paused" },
  }),
  "automations.delete": async (stage) => ({ path: `/automations/${await automation(stage)}` }),
  "automations.test": async (stage) => ({
    path: `/automations/${await automation(stage)}/test`,
    body: { phone_number: VERIFIED },
  }),
  "schedules.create": async (stage) => ({ path: "/schedules", body: scheduleOf(stage) }),
  "schedules.update": async (stage) => ({
    path: `/schedules/${await schedule(stage)}`,
    body: { body: "Good morning" },
  }),
  "schedules.delete": async (stage) => ({ path: `/schedules/${await schedule(stage)}` }),
  "schedules.pause": async (stage) => ({ path: `/schedules/${await schedule(stage)}/pause` }),
  "schedules.resume": async (stage) => {
    const id = await schedule(stage);
    await call(stage, "POST", `/schedules/${id}/pause`);
    return { path: `/schedules/${id}/resume` };
  },
};

export const GUARDED_ROUTES = Object.keys(MODED_REQUESTS) as GuardedRouteName[];
