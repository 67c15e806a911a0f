import assert from "node:assert/strict";
import { type FailureCode, formatTimeOfDay } from "@longwave/contract";
import { toApiId } from "../src/core/platform/ids.ts";
import { handleInboundMessage } from "../src/messaging/inbound/receive.ts";
import type { Kit } from "./kit.ts";
import { type LiveStage, liveBatch, suiteStage } from "./live-batches.ts";
import { accepted } from "./test-carrier.ts";

const SERVICE_NUMBER = "+12065550150";
export const BODY = "Hello from the waiting room";
export const HOUR = 3_600;

/** A live account with its own number, carrier and recipient. */
export interface WaitingStage extends LiveStage {
  /** Recipient in New York, where these tests have quiet hours. */
  readonly to: string;
}

/** One server for many tests; each has its own account and recipient. */
export function waitingStages(): (creditUsd?: number) => Promise<WaitingStage> {
  const stageOf = suiteStage(SETTINGS);
  let recipients = 0;
  return async (creditUsd = 10) => {
    recipients += 1;
    return { ...(await stageOf(creditUsd)), to: `+1212555${2_000 + recipients}` };
  };
}

const SETTINGS = {
  LONGWAVE_ROLES: "api",
  LONGWAVE_BATCH_PACE: "0",
  LONGWAVE_VERIFY_NUMBERS: SERVICE_NUMBER,
};

export const busy = () => ({ kind: "refused" as const, isTemporary: true, carrierCode: "88" });

export function post(kit: Kit, path: string, body: object) {
  return kit.request("POST", path, { key: kit.liveKey, body });
}

export async function created(
  answer: Promise<{ status: number; body: { id: string } }>,
): Promise<string> {
  const { status, body } = await answer;
  assert.ok(status < 300, JSON.stringify(body));
  return body.id;
}

/** Quiet hours in New York that began an hour ago and end within two hours. */
function quietNow(nowMs: number) {
  const clock = new Intl.DateTimeFormat("en-GB", {
    timeZone: "America/New_York",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  });
  const [hour, minute] = clock.format(nowMs).split(":").map(Number) as [number, number];
  const at = (offset: number) => formatTimeOfDay((hour * 60 + minute + 1_440 + offset) % 1_440);
  return { start: at(-60), end: at(120) };
}

export const accountPath = ({ kit }: WaitingStage) =>
  `/accounts/${toApiId("account", kit.account.id)}`;

export async function patchAccount(stage: WaitingStage, changes: object): Promise<void> {
  assert.equal((await stage.kit.operator("PATCH", accountPath(stage), changes)).status, 200);
}

export async function textUs(
  { kit, to: person }: WaitingStage,
  number: string,
  body: string,
): Promise<void> {
  const payload = { carrier: "test-link", reference: null, from: person, to: number, body };
  await kit.deps.db.tx((tx) =>
    handleInboundMessage(kit.deps, tx, { carrier: "test-link", payload }),
  );
}

export async function assignToNewCustomer(
  { kit, from }: WaitingStage,
  name: string,
): Promise<void> {
  const customer_id = await created(post(kit, "/v1/customers", { name }));
  const path = `/v1/numbers/${from}`;
  const answer = await kit.request("PATCH", path, { key: kit.liveKey, body: { customer_id } });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
}

/** A kind of waiting message, and when it is due. */
export interface Kind {
  readonly name: string;
  wait(stage: WaitingStage): Promise<void>;
  readonly dueSeconds: number;
  /** True if its price, or a free message, is reserved while it waits. */
  readonly isReserved?: true;
  /** Category that decides the outcome when the account may not send. */
  readonly of?: "batch_row" | "batch_message" | "occurrence" | "service_code" | "code";
}

export const KINDS: readonly Kind[] = [
  {
    name: "a message that waits for a carrier retry",
    isReserved: true,
    dueSeconds: 600,
    async wait({ kit, carrier, from, to }) {
      carrier.answers = [busy, accepted];
      await created(post(kit, "/v1/messages", { to, from, body: BODY }));
    },
  },
  {
    name: "a message that quiet hours defer",
    isReserved: true,
    dueSeconds: 3 * HOUR,
    async wait({ kit, from, to }) {
      const quiet_hours = quietNow(kit.deps.clock.now());
      await created(post(kit, "/v1/messages", { to, from, body: BODY, quiet_hours }));
    },
  },
  {
    name: "a scheduled message",
    dueSeconds: HOUR,
    async wait({ kit, from, to }) {
      const scheduled_at = kit.deps.clock.now() + 60_000;
      await created(post(kit, "/v1/messages", { to, from, body: BODY, scheduled_at }));
    },
  },
  {
    name: "a row of a batch",
    of: "batch_row",
    dueSeconds: HOUR,
    async wait(stage) {
      const scheduled_at = stage.kit.deps.clock.now() + 60_000;
      await liveBatch(stage, [stage.to], { body: BODY, scheduled_at });
    },
  },
  {
    name: "a batch's message that waits for a carrier retry",
    isReserved: true,
    of: "batch_message",
    dueSeconds: 600,
    async wait(stage) {
      stage.carrier.answers = [busy, accepted];
      await liveBatch(stage, [stage.to], { body: BODY });
      await stage.kit.advance(1);
    },
  },
  {
    name: "a batch's message that quiet hours defer",
    isReserved: true,
    of: "batch_message",
    dueSeconds: 3 * HOUR,
    async wait(stage) {
      const quiet_hours = quietNow(stage.kit.deps.clock.now());
      await liveBatch(stage, [stage.to], { body: BODY, quiet_hours });
      await stage.kit.advance(1);
    },
  },
  {
    name: "an occurrence of a recurring schedule",
    of: "occurrence",
    dueSeconds: HOUR + 60,
    async wait({ kit, from, to }) {
      const schedule = { to, from, body: BODY, rrule: "FREQ=DAILY", timezone: "UTC" };
      const start_at = new Date(kit.deps.clock.now() + HOUR * 1_000).toISOString();
      await created(post(kit, "/v1/schedules", { ...schedule, start_at }));
    },
  },
  {
    name: "a step of an automation",
    dueSeconds: HOUR + 60,
    async wait({ kit, from, to }) {
      await created(post(kit, "/v1/contacts", { phone_number: to, name: "Ada" }));
      const steps = [
        { type: "wait", seconds: HOUR },
        { type: "send", from, body: BODY },
      ];
      const trigger = { event: "signed_up" };
      await created(post(kit, "/v1/automations", { name: "Welcome", trigger, steps }));
      const tracked = await post(kit, "/v1/track", { event: "signed_up", phone_number: to });
      assert.equal(tracked.body.matched, 1);
    },
  },
  {
    name: "a code from an own number that waits for a carrier retry",
    of: "code",
    dueSeconds: 60,
    async wait({ kit, carrier, from, to }) {
      carrier.answers = [busy, accepted];
      await created(post(kit, "/v1/verify", { phone: to, from }));
    },
  },
  {
    name: "a code from the service's number that waits for a carrier retry",
    of: "service_code",
    dueSeconds: 60,
    async wait({ kit, carrier, to }) {
      carrier.answers = [busy, accepted];
      await created(post(kit, "/v1/verify", { phone: to }));
    },
  },
];

export interface Reason {
  readonly name: string;
  happen(stage: WaitingStage, kind: Kind): Promise<void>;
  readonly failure: FailureCode;
  /** Makes sending possible again; set for reasons that suspend a batch until then. */
  undo?(stage: WaitingStage): Promise<void>;
  readonly concernsServiceCodes: boolean;
  /** Codes from an own number leave all the same. */
  readonly sparesCodes?: true;
}

export const REASONS: readonly Reason[] = [
  {
    name: "STOP to that number",
    failure: "recipient_opted_out",
    concernsServiceCodes: true,
    happen: (stage, { of }) =>
      textUs(stage, of === "service_code" ? SERVICE_NUMBER : stage.from, "STOP"),
  },
  {
    name: "live access withdrawn",
    failure: "sender_unavailable",
    concernsServiceCodes: true,
    happen: (stage) => patchAccount(stage, { live_access: "none" }),
    undo: (stage) => patchAccount(stage, { live_access: "granted" }),
  },
  {
    name: "account suspended",
    failure: "sender_unavailable",
    concernsServiceCodes: true,
    happen: (stage) => patchAccount(stage, { status: "suspended" }),
    undo: (stage) => patchAccount(stage, { status: "active" }),
  },
  {
    name: "sender no longer active",
    failure: "sender_not_registered",
    concernsServiceCodes: false,
    happen: async ({ kit, from }) => {
      await kit.rows(
        "update numbers set sender_state = 'action_needed' where account_id = $1 and phone_number = $2",
        [kit.account.id, from],
      );
    },
  },
  {
    name: "number released",
    failure: "sender_unavailable",
    concernsServiceCodes: false,
    happen: async ({ kit, from }) => {
      const released = await kit.request("DELETE", `/v1/numbers/${from}`, { key: kit.liveKey });
      assert.equal(released.status, 200);
    },
  },
  {
    name: "opt-ins required by now",
    failure: "opt_in_required",
    concernsServiceCodes: false,
    sparesCodes: true,
    happen: async ({ kit }) => {
      const body = { opt_in_required: true };
      const answer = await kit.request("PATCH", "/v1/account", { key: kit.liveKey, body });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
    },
  },
];
