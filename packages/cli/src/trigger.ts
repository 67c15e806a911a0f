import { randomInt } from "node:crypto";
import type { Event, EventType, Longwave } from "@longwave/sdk";
import { Argument, type Command } from "commander";
import { eventLine } from "./event-line.ts";
import { CommandFailure, EXIT, UsageError } from "./exit-codes.ts";
import { openKeyedSession, type Session } from "./session.ts";
import { SANDBOX_PHONE } from "./texting.ts";

/** Simulated phones with an outcome of their own; see the first guide. */
const FAILING_PHONE = "+15005550001";
const BLOCKED_PHONE = "+15005550020";
/** Opts out and in again, so that other phones keep receiving. */
const OPTING_PHONE = "+15005550014";
/** Starts and ends automation runs. */
const CONTACT_PHONE = "+15005550015";
const TRACKED = "longwave.trigger";
const BODY = "Sent by longwave trigger";
const WAIT_SECONDS_MAX = 30;
const POLL_SECONDS = 5;
const SCHEDULE_DELAY_MS = 2_000;

/** Context of a trigger: the client of a test key, and a test number of the account. */
interface Sandbox {
  readonly client: Longwave;
  readonly number: string;
  /** Runs once the event is there: removes what was made for it alone. */
  afterwards(remove: () => Promise<unknown>): void;
}

/** Causes the event. */
type Trigger = (sandbox: Sandbox) => Promise<unknown>;

const send =
  (to: string): Trigger =>
  ({ client, number }) =>
    client.messages.send({ from: number, to, body: BODY });

const text = ({ client, number }: Sandbox, body: string, from = SANDBOX_PHONE) =>
  client.test.inbound({ from, to: number, body });

/** Both keywords: the last one then always changes the phone's consent. */
const keywords =
  (...words: readonly string[]): Trigger =>
  async (sandbox) => {
    for (const word of words) await text(sandbox, word, OPTING_PHONE);
  };

async function startCode({ client }: Sandbox) {
  const { test_code } = await client.verify.start({ phone: SANDBOX_PHONE });
  return (code: (right: string) => string) =>
    client.verify.check({ phone: SANDBOX_PHONE, code: code(test_code ?? "") });
}

async function buyNumber({ client }: Sandbox) {
  for await (const { phone_number } of client.numbers.available()) {
    return client.numbers.create({ phone_number });
  }
  throw new CommandFailure("No test number is for sale: release one first.", EXIT.refused);
}

/** Runs an automation of one step for a simulated contact. */
const automation =
  (body: string | null): Trigger =>
  async ({ client, number, afterwards }) => {
    await client.contacts.upsert({ phone_number: CONTACT_PHONE });
    const event = `${TRACKED}.${randomInt(2 ** 32)}`;
    const { id } = await client.automations.create({
      name: BODY,
      trigger: { event },
      reentry: "any",
      steps: [
        body === null ? { type: "event", name: TRACKED } : { type: "send", from: number, body },
      ],
    });
    afterwards(() => client.automations.delete(id));
    await client.automations.track({ event, phone_number: CONTACT_PHONE });
  };

/** A schedule whose recipient opts out before the first occurrence skips it and pauses. */
const schedule: Trigger = async (sandbox) => {
  const { client, number, afterwards } = sandbox;
  await text(sandbox, "START", OPTING_PHONE);
  const { id } = await client.schedules.create({
    from: number,
    to: OPTING_PHONE,
    body: BODY,
    rrule: "FREQ=DAILY",
    timezone: "UTC",
    start_at: Date.now() + SCHEDULE_DELAY_MS,
  });
  afterwards(async () => {
    await client.schedules.delete(id);
    await text(sandbox, "START", OPTING_PHONE);
  });
  await text(sandbox, "STOP", OPTING_PHONE);
};

/** A function causes the event; a sentence says why the sandbox has none. */
const TRIGGERS: Readonly<Record<EventType, Trigger | string>> = {
  "message.sent": send(SANDBOX_PHONE),
  "message.delivered": send(SANDBOX_PHONE),
  "message.failed": send(FAILING_PHONE),
  "message.received": (sandbox) => text(sandbox, "hi there"),
  "message.opted_out": keywords("START", "STOP"),
  "message.opted_in": keywords("STOP", "START"),
  "conversation.updated": async (sandbox) => {
    await text(sandbox, "hi there");
    await sandbox.client.conversations.update(SANDBOX_PHONE, { read: true });
  },
  "number.purchased": buyNumber,
  "number.released": async (sandbox) => {
    const { phone_number } = await buyNumber(sandbox);
    await sandbox.client.numbers.delete(phone_number);
  },
  "number.sender_updated": "Only live numbers have a registration: longwave numbers register.",
  "verification.sent": startCode,
  "verification.approved": async (sandbox) => {
    const check = await startCode(sandbox);
    await check((right) => right);
  },
  "verification.failed": async (sandbox) => {
    const check = await startCode(sandbox);
    await check((right) => (right === "000000" ? "000001" : "000000"));
  },
  "verification.blocked": async ({ client }) => {
    // The refusal is what causes the event.
    await client.verify.start({ phone: BLOCKED_PHONE }).catch((error: { code?: string }) => {
      if (error.code !== "verification_blocked") throw error;
    });
  },
  "deliverability.degraded": "It needs hundreds of live messages whose delivery rate drops.",
  "spend.threshold_reached": "Sandbox messages cost nothing, so they reach no threshold.",
  "automation.run.started": automation(null),
  "automation.run.completed": automation(null),
  "automation.run.failed": automation("{{properties.missing}}"),
  "automation.run.event": automation(null),
  "schedule.occurrence_skipped": schedule,
  "schedule.paused": schedule,
  "test.ping": async ({ client }) => {
    for await (const { id } of client.webhooks.list({ limit: 1 })) return client.webhooks.test(id);
    throw new UsageError(
      "The account has no webhook endpoint. longwave webhooks create --url https://… makes one; then trigger test.ping again.",
    );
  },
  "broadcast.complete": ({ client, number }) =>
    client.batches.create({ from: number, body: BODY, recipients: [{ to: SANDBOX_PHONE }] }),
};

/** `longwave trigger message.received`: causes an event in the sandbox by real calls. */
export function addTrigger(program: Command): void {
  const types = Object.keys(TRIGGERS) as EventType[];
  const possible = types.filter((type) => typeof TRIGGERS[type] !== "string");
  const event = new Argument("<event>", "event to cause");
  event.argChoices = possible;
  program
    .command("trigger")
    .summary("cause an event in the sandbox")
    .description(
      "Causes an event in the sandbox by real calls with your test key, and prints it once it is in the log: webhooks and longwave listen get it too. Objects created for the event alone are deleted again.",
    )
    .addArgument(event)
    .option("--number <number>", "a test number of yours")
    .action(async (type: string, options: { number?: string }, command: Command) =>
      trigger(openKeyedSession(command), type, options.number),
    );
}

async function trigger(session: Session, type: string, number?: string): Promise<void> {
  const cause = TRIGGERS[type as EventType];
  if (cause === undefined) {
    throw new UsageError(`There is no event ${type}. Events: ${Object.keys(TRIGGERS).join(", ")}.`);
  }
  if (typeof cause === "string") throw new UsageError(`The sandbox has no ${type}. ${cause}`);
  const { client, terminal } = session;
  const { key } = await client.account.get();
  if (key?.mode !== "test") {
    throw new UsageError("longwave trigger works in the sandbox: give a test key with --key.");
  }
  const { cursor } = await client.events.wait({ timeout: 0 });
  const removals: (() => Promise<unknown>)[] = [];
  const afterwards = (remove: () => Promise<unknown>) => void removals.push(remove);
  try {
    await cause({ client, number: number ?? (await testNumber(client)), afterwards });
    const event = await awaitEvent(client, type, cursor);
    terminal.out(terminal.json ? JSON.stringify(event) : eventLine(terminal, event));
  } finally {
    for (const remove of removals) await remove();
  }
}

async function testNumber(client: Longwave): Promise<string> {
  for await (const number of client.numbers.list({ mode: "test" })) return number.phone_number;
  throw new UsageError("The account has no test number: longwave numbers available lists some.");
}

async function awaitEvent(client: Longwave, type: string, since: string): Promise<Event> {
  let cursor = since;
  for (let waited = 0; waited < WAIT_SECONDS_MAX; waited += POLL_SECONDS) {
    const answer = await client.events.wait({ cursor, timeout: POLL_SECONDS });
    // The last of its kind: a keyword before it may have caused one, too.
    const event = answer.data.findLast((one) => one.type === type);
    if (event) return event;
    cursor = answer.cursor;
  }
  throw new CommandFailure(
    `No ${type} came within ${WAIT_SECONDS_MAX} seconds: longwave logs shows what did.`,
    EXIT.unreachable,
  );
}
