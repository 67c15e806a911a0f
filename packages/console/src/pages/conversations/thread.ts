import type { Message, Page } from "@longwave/sdk";
import type { UseQueryResult } from "@tanstack/react-query";
import { useRead } from "../../api/queries.ts";

const MESSAGES_MAX = 100;

/** The newest texts to and from one phone, oldest first. */
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
    { enabled, everyMs: 5_000 },
  );
}

export interface Conversation {
  readonly person: string;
  readonly ours: string;
  readonly last: Message;
  readonly count: number;
}

/** Received texts by who wrote to which number, the newest first. */
export function conversationsOf(received: readonly Message[]): Conversation[] {
  const byPair = new Map<string, Conversation>();
  for (const message of received) {
    const pair = `${message.from} ${message.to}`;
    const known = byPair.get(pair);
    byPair.set(pair, {
      person: message.from,
      ours: message.to,
      last: known?.last ?? message,
      count: (known?.count ?? 0) + 1,
    });
  }
  return [...byPair.values()];
}
