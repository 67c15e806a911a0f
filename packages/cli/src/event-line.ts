import type { Event, WebhookDelivery, WebhookEvent } from "@longwave/sdk";
import { timeText, visible } from "./print.ts";
import { styled, type Terminal } from "./terminal.ts";

const TYPE_CHARS = 22;
const TEXT_CHARS_MAX = 60;
/** Fields of `data` that say little beside the others. */
const FIELDS_NEVER = new Set(["customer_id", "contact_id", "properties"]);

/** One line per event: time, type, what happened, id. */
export function eventLine(terminal: Terminal, event: Event | WebhookEvent): string {
  const type = styled(terminal, "cyan", event.type.padEnd(TYPE_CHARS));
  const what = describeEvent(event.type, event.data as Record<string, unknown>);
  return joined(terminal, event.created_at, type, what, event.id);
}

/** One line per webhook attempt; a failure ends with its explanation and the way out. */
export function deliveryLine(terminal: Terminal, delivery: WebhookDelivery): string {
  const { ok, status_code, error, attempt, replay, latency_ms } = delivery;
  const result = styled(terminal, ok ? "green" : "red", String(status_code ?? error));
  const which = `attempt ${attempt}${replay ? ", replay" : ""}`;
  const what = `${delivery.event_type}  ${result} in ${latency_ms} ms (${which})  ${delivery.endpoint_id}`;
  const label = "→ webhook".padEnd(TYPE_CHARS);
  const line = joined(terminal, delivery.created_at, label, what, delivery.event_id);
  return delivery.explanation === null ? line : `${line}  ${visible(delivery.explanation)}`;
}

function joined(terminal: Terminal, at: string, label: string, what: string, id: string): string {
  return `${styled(terminal, "dim", timeText(at))}  ${label}  ${what}  ${styled(terminal, "dim", id)}`;
}

/** Describes an event in a few words: `+14155550100 → +15005550000  "hi there"`. */
export function describeEvent(type: string, data: Readonly<Record<string, unknown>>): string {
  const parts = [whoOf(data), ...(DETAILS[type] ?? anyDetails)(data)];
  return parts.filter((part) => part !== "").join("  ");
}

type Data = Readonly<Record<string, unknown>>;

/** Sender and recipient, or the one phone number of the event. */
function whoOf({ from, to, phone, phone_number }: Data): string {
  if (from !== undefined) return `${text(from)} → ${text(to)}`;
  if (to !== undefined) return `→ ${text(to)}`;
  return text(phone ?? phone_number ?? "");
}

const keyword = ({ keyword }: Data) => [quoted(keyword)];
const reason = ({ reason }: Data) => [text(reason ?? "")];

const DETAILS: Readonly<Record<string, (data: Data) => string[]>> = {
  "message.sent": ({ segments }) => [segments === 1 ? "1 segment" : `${text(segments)} segments`],
  "message.delivered": ({ latency_ms }) => [`after ${text(latency_ms)} ms`],
  "message.failed": ({ failure, code, reason }) => {
    const { code: exact, explanation } = (failure ?? {}) as Data;
    return [`${text(exact ?? code)}: ${text(explanation ?? reason)}`];
  },
  "message.received": ({ body }) => [quoted(body)],
  "message.opted_out": keyword,
  "message.opted_in": keyword,
  "number.sender_updated": ({ state, previous_state, reason }) => [
    `${text(previous_state)} → ${text(state)}`,
    text(reason ?? ""),
  ],
  "verification.approved": ({ charged }) => [charged ? "charged" : "not charged"],
  "verification.failed": ({ status, attempts }) => [`${text(status)}, tries: ${text(attempts)}`],
  "verification.blocked": reason,
  "automation.run.event": ({ name, automation_id }) => [quoted(name), text(automation_id)],
  "test.ping": ({ message }) => [quoted(message)],
  "broadcast.complete": ({ batch_id, counts }) => [text(batch_id), countsText(counts)],
};

/** Fallback for other events: every plain field by name. */
function anyDetails(data: Data): string[] {
  return Object.entries(data).flatMap(([name, value]) => {
    const isShown = value !== null && value !== undefined && !FIELDS_NEVER.has(name);
    if (!isShown || name === "phone" || name === "phone_number") return [];
    if (typeof value === "object") return [];
    return [`${name} ${text(value)}`];
  });
}

function countsText(counts: unknown): string {
  return Object.entries((counts ?? {}) as Data)
    .filter(([, count]) => count !== 0)
    .map(([name, count]) => `${text(count)} ${name}`)
    .join(", ");
}

/** Text from outside, quoted and shortened. */
export function quoted(value: unknown): string {
  return `"${text(value)}"`;
}

function text(value: unknown): string {
  const chars = [...visible(String(value))];
  return chars.length > TEXT_CHARS_MAX
    ? `${chars.slice(0, TEXT_CHARS_MAX - 1).join("")}…`
    : chars.join("");
}
