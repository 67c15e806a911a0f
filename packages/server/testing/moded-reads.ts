import assert from "node:assert/strict";
import type { Mode, OwnModeReadName } from "@longwave/contract";
import { fromApiId } from "../src/core/platform/ids.ts";
import type { ModedStage } from "./moded-requests.ts";
import type { TestCarrier } from "./test-carrier.ts";
import { until } from "./until.ts";

/** Objects that both modes share and whose reads show a state of the key's mode. */
export interface SharedObjects {
  readonly customerId: string;
  readonly contactId: string;
  readonly segmentId: string;
  readonly automations: Readonly<Record<Mode, string>>;
  /** The contact's number, which texts STOP. */
  readonly phone: string;
}

/** Ids of one mode's objects. */
export interface ModedObjects {
  readonly message: string;
  readonly scheduled: string;
  readonly batch: string;
  readonly schedule: string;
  readonly verification: string;
  readonly run: string;
  readonly event: string;
  readonly hook: string;
}

/**
 * A read, as the path below `/v1`. `object`: an object of one mode, which the other mode answers with 404. `list`: a
 * list, figure or state, which objects of the other mode leave as it is.
 */
export type ModedRead =
  | { readonly kind: "object"; readonly path: (own: ModedObjects) => string }
  | { readonly kind: "list"; readonly path: (shared: SharedObjects, own: Mode) => string }
  /** Objects of either mode do not change it. */
  | { readonly kind: "constant"; readonly path: () => string };

const object = (path: (own: ModedObjects) => string): ModedRead => ({ kind: "object", path });
const list = (path: (shared: SharedObjects, own: Mode) => string): ModedRead => ({
  kind: "list",
  path,
});

// biome-ignore format: read as a table
export const MODED_READS: { readonly [N in OwnModeReadName]: ModedRead } = {
  "numbers.available":         { kind: "constant", path: () => "/numbers/available?area_code=415" },
  "customers.usage":           list(({ customerId }) => `/customers/${customerId}/usage`),
  "consent.list":              list(() => "/consent"),
  "consent.get":               list(({ phone }) => `/consent/${phone}`),
  "consent.proof":             list(({ phone }) => `/consent/${phone}/proof`),
  "contacts.list":             list(() => "/contacts"),
  "contacts.get":              list(({ contactId }) => `/contacts/${contactId}`),
  "segments.list":             list(() => "/segments"),
  "segments.get":              list(({ segmentId }) => `/segments/${segmentId}`),
  "conversations.list":        list(() => "/conversations"),
  "conversations.summary":     list(() => "/conversations/summary"),
  "conversations.get":         list(({ phone }) => `/conversations/${phone}`),
  "conversations.notes":       list(({ phone }) => `/conversations/${phone}/notes`),
  "messages.list":             list(() => "/messages?limit=100"),
  "messages.get":              object(({ message }) => `/messages/${message}`),
  "messages.timeline":         object(({ message }) => `/messages/${message}/timeline`),
  "scheduledMessages.list":    list(() => "/scheduled_messages"),
  "scheduledMessages.get":     object(({ scheduled }) => `/scheduled_messages/${scheduled}`),
  "events.list":               list(() => "/events?limit=100"),
  "events.wait":               list(() => "/events/wait?timeout=0"),
  "events.get":                object(({ event }) => `/events/${event}`),
  "hooks.list":                list(() => "/hooks"),
  "hooks.get":                 object(({ hook }) => `/hooks/${hook}`),
  "hooks.requests":            object(({ hook }) => `/hooks/${hook}/requests`),
  "webhooks.deliveries":       list(() => "/webhooks/deliveries?limit=100"),
  "webhooks.undelivered":      list(() => "/webhooks/undelivered"),
  "exports.messages":          list(() => "/exports/messages"),
  "exports.events":            list(() => "/exports/events"),
  "exports.consent":           list(() => "/exports/consent"),
  "exports.contacts":          list(() => "/exports/contacts"),
  "exports.batchRecipients":   object(({ batch }) => `/exports/batches/${batch}/recipients`),
  "exports.webhookDeliveries": list(() => "/exports/webhook_deliveries"),
  "batches.list":              list(() => "/batches"),
  "batches.get":               object(({ batch }) => `/batches/${batch}`),
  "batches.recipients":        object(({ batch }) => `/batches/${batch}/recipients`),
  "batches.results":           object(({ batch }) => `/batches/${batch}/results`),
  "schedules.list":            list(() => "/schedules"),
  "schedules.get":             object(({ schedule }) => `/schedules/${schedule}`),
  "schedules.occurrences":     object(({ schedule }) => `/schedules/${schedule}/occurrences`),
  "automations.runs":          list(({ automations }, own) => `/automations/${automations[own]}/runs`),
  "automations.run":           object(({ run }) => `/automations/runs/${run}`),
  "verify.stats":              list(() => "/verify/stats"),
  "verify.decisions":          list(() => "/verify/decisions"),
  "verify.list":               list(() => "/verify"),
  "verify.get":                object(({ verification }) => `/verify/${verification}`),
  "usage.get":                 list(() => "/usage?by=day"),
  "deliverability.get":        list(() => "/deliverability"),
  "personalData.get":          list(({ phone }) => `/personal_data/${phone}`),
};

async function call(stage: ModedStage, method: string, path: string, body?: unknown) {
  const { kit, key } = stage;
  const answer = await kit.request(method, `/v1${path}`, { key, body });
  assert.ok(answer.status < 300, `${method} ${path}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

/** Creates what both modes share, and an automation of each mode. */
export async function sharedObjects(stageOf: (mode: Mode) => ModedStage): Promise<SharedObjects> {
  const { test, live } = { test: stageOf("test"), live: stageOf("live") };
  const phone = "+14155560000";
  const customer = await call(test, "POST", "/customers", { name: "Acme" });
  const contact = await call(test, "POST", "/contacts", { phone_number: phone });
  const filter = { field: "opted_out", op: "is", value: true };
  const segment = await call(test, "POST", "/segments", { name: "Gone", filter });
  const automation = async (stage: ModedStage) => {
    const steps = [
      { type: "wait", seconds: 3_600 },
      { type: "send", from: stage.from, body: "Hi" },
    ];
    const body = { name: "Later", trigger: { event: `later_${stage.mode}` }, steps };
    return (await call(stage, "POST", "/automations", body)).id as string;
  };
  const automations = { test: await automation(test), live: await automation(live) };
  return {
    ...{ customerId: customer.id, contactId: contact.id, segmentId: segment.id },
    ...{ automations, phone },
  };
}

/** Traffic of every kind in one mode, and the ids of its objects. */
export async function traffic(
  stage: ModedStage,
  carrier: TestCarrier,
  shared: SharedObjects,
): Promise<ModedObjects> {
  const { kit, mode, from, to } = stage;
  const body = { from, to, body: "Hi" };
  const later = kit.deps.clock.now() + 86_400_000;
  const message = await call(stage, "POST", "/messages", {
    ...body,
    customer_id: shared.customerId,
  });
  const scheduled = await call(stage, "POST", "/messages", { ...body, scheduled_at: later });
  const rows = { from, body: "Hi", recipients: [{ to }] };
  const batch = await call(stage, "POST", "/batches", rows);
  const rule = { cron: "0 9 * * *", timezone: "America/New_York" };
  const schedule = await call(stage, "POST", "/schedules", { ...body, ...rule });
  const verification = await call(stage, "POST", "/verify", { phone: to, from });
  const tracked = { event: `later_${mode}`, contact_id: shared.contactId };
  await call(stage, "POST", "/track", tracked);
  const runs = await call(stage, "GET", `/automations/${shared.automations[mode]}/runs`);
  const hook = await call(stage, "POST", "/hooks", { name: "Codes", from, preset: "supabase" });
  await stop(stage, carrier, shared.phone);
  await kit.advance(5);
  const { data } = await call(stage, "GET", "/events?type=message.sent");
  const event = data[0].id;
  await kit.rows(
    `insert into webhook_undelivered (shard, account_id, mode, endpoint_id, event_id, attempts, last_attempt_at)
     select e.shard, e.account_id, e.mode, $1, e.id, 6, e.created_at from events e where e.id = $2`,
    [fromApiId("webhook_endpoint", stage.endpointId), fromApiId("event", event)],
  );
  return {
    ...{ message: message.id, scheduled: scheduled.id, batch: batch.id, schedule: schedule.id },
    ...{ verification: verification.id, run: runs.data[0].id, event, hook: hook.id },
  };
}

/** The contact writes in the mode, then opts out. */
async function stop(stage: ModedStage, carrier: TestCarrier, phone: string): Promise<void> {
  const { kit, mode, from } = stage;
  if (mode === "test") {
    for (const body of ["Hello", "STOP"]) {
      await call(stage, "POST", "/test/inbound", { from: phone, to: from, body });
    }
    return;
  }
  for (const body of ["Hello", "STOP"]) {
    const inbound = { carrier: "test-link", reference: body, from: phone, to: from, body };
    await carrier.sink().inbound(inbound);
  }
  await until(async () => {
    const found = await kit.rows("select 1 from consent_states where mode = 'live'");
    return found.length > 0;
  });
}
