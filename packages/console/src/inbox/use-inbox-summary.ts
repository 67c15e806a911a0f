import type { ConversationSummary } from "@longwave/sdk";
import { useRead } from "../api/queries.ts";

/** Conversations that wait for somebody. Undefined until read. */
export function useInboxSummary(): ConversationSummary | undefined {
  return useRead(["inbox-summary"], (api, signal) => api.conversations.summary({ signal })).data;
}

const SHOWN_MAX = 99;

/** "7", or "99+". Null when nothing waits. */
export function waitingLabel(summary: ConversationSummary | undefined): string | null {
  if (!summary || summary.needs_reply === 0) return null;
  return summary.needs_reply > SHOWN_MAX ? `${SHOWN_MAX}+` : String(summary.needs_reply);
}
