import { counted, Problem } from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import { firstUuidAt } from "../../core/platform/ids.ts";
import type { HookRow } from "./hook-row.ts";
import type { ReadMessage } from "./read-call.ts";
import { countSent } from "./sql.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

interface Count {
  readonly phone: string | null;
  readonly sent: number;
  readonly first_id: string | null;
}

/** Applies a hook's limits in order, to messages without a problem. The caller holds the hook's lock. */
export async function withinHookLimits(
  { clock }: Pick<Base, "clock">,
  tx: Tx,
  hook: HookRow,
  messages: readonly ReadMessage[],
): Promise<ReadMessage[]> {
  const nowMs = clock.now();
  const phones = [...new Set(messages.flatMap(({ to, problem }) => (to && !problem ? [to] : [])))];
  const counts = await tx.query<Count>(countSent, [
    hook.shard,
    hook.id,
    firstUuidAt(nowMs - MINUTE_MS),
    firstUuidAt(nowMs - HOUR_MS),
    phones,
  ]);
  const sent = new Map(counts.map((count) => [count.phone, count.sent]));
  const limits = { minute: hook.messages_per_minute, hour: hook.messages_per_phone_hour };
  return messages.map((message) => {
    if (message.problem || message.to === null) return message;
    const [inMinute, toPhone] = [sent.get(null) ?? 0, sent.get(message.to) ?? 0];
    if (inMinute >= limits.minute) {
      const what = `The hook sends ${counted(limits.minute, "message")} in a minute, and has sent them`;
      return { ...message, problem: tooMany(what, "messages_per_minute", MINUTE_MS) };
    }
    if (toPhone >= limits.hour) {
      const what = `The hook sends ${counted(limits.hour, "message")} to one phone in an hour, and has sent them to ${message.to}`;
      return { ...message, problem: tooMany(what, "messages_per_phone_hour", HOUR_MS) };
    }
    sent.set(null, inMinute + 1);
    sent.set(message.to, toPhone + 1);
    return message;
  });
}

function tooMany(what: string, param: string, windowMs: number): Problem {
  return new Problem("rate_limited", `${what}. Wait, or raise ${param}.`, {
    param,
    headers: { "retry-after": String(windowMs / 1_000) },
  });
}
