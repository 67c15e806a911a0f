import type { Hook, HookDeclaration, HookMessage, HookPreset, HookTest } from "@longwave/sdk";
import { useRead } from "../../api/queries.ts";
import { formatPhone, plural } from "../../ui/format.ts";
import type { Tone } from "../../ui/looks.ts";

export type Purpose = HookDeclaration["purpose"];

export const PURPOSES: readonly { value: Purpose; label: string }[] = [
  { value: "codes", label: "One-time codes" },
  { value: "alerts", label: "Alerts" },
  { value: "messages", label: "Other messages" },
];

/** Presets change with the server's version alone. */
export function usePresets(): readonly HookPreset[] {
  const presets = useRead(["hook-presets"], (api, signal) => api.hooks.presets({ signal }), {
    staleMs: Number.POSITIVE_INFINITY,
  });
  return presets.data?.data ?? [];
}

/** Name of the program that calls, for people. */
export function programOf({ preset }: Hook, presets: readonly HookPreset[]): string {
  if (preset === null) return "Own declaration";
  return presets.find(({ name }) => name === preset)?.title ?? preset;
}

/** Address of a hook. A server without a public address answers paths. */
export function addressOf(url: string): string {
  return url.startsWith("/") ? location.origin + url : url;
}

export function senderOf({ from }: Hook): string {
  return from.startsWith("+") ? formatPhone(from) : from;
}

/** How a call of the hook proves where it comes from. */
export function proofOf({ signature }: HookDeclaration): string {
  if (!signature) return "The address ends in the secret";
  const header = signature.header ?? "authorization";
  if (signature.type === "basic") return `HTTP Basic, user ${signature.user ?? "hook"}`;
  if (signature.type === "token") return `${header}: ${signature.prefix ?? ""}SECRET`;
  return `${signature.type === "jwt" ? "JWT" : "HMAC"} in ${header}`;
}

type Understood = Pick<HookTest, "error" | "messages">;

interface Outcome {
  readonly tone: Tone;
  readonly word: string;
}

const isSent = ({ error }: HookMessage) => error === null;

/** Outcome of a call in a word or two. */
export function outcomeOf({ error, messages }: Understood): Outcome {
  const sent = messages.filter(isSent).length;
  if (error !== null || (sent === 0 && messages.length > 0)) {
    return { tone: "red", word: "Refused" };
  }
  if (messages.length === 0) return { tone: "slate", word: "Ignored" };
  if (sent < messages.length) return { tone: "amber", word: `${sent} of ${messages.length} sent` };
  return { tone: "green", word: sent === 1 ? "Sent" : `${sent} sent` };
}

/** One line on what was understood of a call, or why nothing was. */
export function summaryOf({ error, messages }: Understood): string {
  const [first] = messages;
  if (error !== null) return error.message;
  if (!first) return "No item of the call meets the conditions.";
  const more = messages.length - 1;
  const to = first.to === null ? "" : `${formatPhone(first.to)}: `;
  return `${to}${first.body}${more > 0 ? ` · and ${plural(more, "more message")}` : ""}`;
}
