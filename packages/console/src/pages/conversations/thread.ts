import type { Message, Page } from "@longwave/sdk";
import type { UseQueryResult } from "@tanstack/react-query";
import { useRead } from "../../api/queries.ts";

const MESSAGES_MAX = 100;

/** The newest messages to and from one phone, oldest first. */
export function useThread(phone: string, enabled = true): UseQueryResult<readonly Message[]> {
  return useRead(
    ["thread", phone],
    async (api, signal) => {
      const page: Page<Message> = await api.messages.list(
        { number: phone, limit: MESSAGES_MAX },
        { signal },
      );
      return page.data.toReversed();
    },
    { enabled, refetchMs: 5_000 },
  );
}

export interface Conversation {
  readonly person: string;
  readonly ours: string;
  readonly last: Message;
  readonly count: number;
  /**
   * True when nobody replied since the person last wrote. null: sent messages since exceed the read
   * limit.
   */
  readonly isWaiting: boolean | null;
}

/**
 * Groups received messages by sender and own number, newest first; `sent` are the newest sent
 * messages.
 */
export function conversationsOf(
  received: readonly Message[],
  sent: Pick<Page<Message>, "data" | "has_more">,
): Conversation[] {
  const answeredAt = new Map<string, string>();
  for (const { to, from, created_at } of sent.data) {
    const pair = `${to} ${from}`;
    if (!answeredAt.has(pair)) answeredAt.set(pair, created_at);
  }
  const readBackTo = sent.has_more ? (sent.data.at(-1)?.created_at ?? "") : "";
  const byPair = new Map<string, Conversation>();
  for (const message of received) {
    const pair = `${message.from} ${message.to}`;
    const existing = byPair.get(pair);
    byPair.set(pair, {
      person: message.from,
      ours: message.to,
      last: existing?.last ?? message,
      count: (existing?.count ?? 0) + 1,
      isWaiting: existing
        ? existing.isWaiting
        : isWaiting(message.created_at, answeredAt.get(pair), readBackTo),
    });
  }
  return [...byPair.values()];
}

/** Timestamps share one format and zone, so string order is time order. */
function isWaiting(
  wroteAt: string,
  answeredAt: string | undefined,
  readBackTo: string,
): boolean | null {
  if (answeredAt !== undefined && answeredAt >= wroteAt) return false;
  return wroteAt >= readBackTo ? true : null;
}
