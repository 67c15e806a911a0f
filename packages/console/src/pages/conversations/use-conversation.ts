import type { Consent, Contact, Conversation } from "@longwave/sdk";
import type { UseMutationResult } from "@tanstack/react-query";
import { useEffect } from "react";
import { useAccount, useHasRole } from "../../api/account.tsx";
import { useAct, useRead } from "../../api/queries.ts";

export type ConversationChange = Readonly<{
  status?: "open" | "closed";
  assignee?: string | null;
  read?: boolean;
}>;

/** The conversation with a person; null for somebody who has not written; undefined until read. */
export function useConversation(phone: string): Conversation | null | undefined {
  const read = useRead(["conversation", phone], (api, signal) =>
    api.conversations.list({ phone_number: phone, limit: 1 }, { signal }),
  );
  return read.data && (read.data.data[0] ?? null);
}

export function useChangeConversation(
  phone: string,
): UseMutationResult<Conversation, unknown, ConversationChange> {
  return useAct((change: ConversationChange, { api }) => api.conversations.update(phone, change), {
    stale: ["conversation", "conversations", "inbox-summary"],
  });
}

/** Marks the conversation as read while somebody who may reply looks at it. */
export function useMarkRead(conversation: Conversation | null | undefined): void {
  const { account } = useAccount();
  const mayChange = useHasRole("member") && !account.visited;
  const { mutate } = useChangeConversation(conversation?.phone_number ?? "");
  const unread = conversation?.unread ?? 0;
  const newest = conversation?.last_received_at;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another received message is read, too
  useEffect(() => {
    if (!mayChange || unread === 0) return;
    const read = () => {
      if (!document.hidden) mutate({ read: true });
    };
    read();
    document.addEventListener("visibilitychange", read, { once: true });
    return () => document.removeEventListener("visibilitychange", read);
  }, [mayChange, unread, newest, mutate]);
}

export interface PersonFacts {
  readonly contact: Contact | undefined;
  readonly consent: readonly Consent[];
  /** Messages to the person are refused, from whichever number. */
  readonly isOptedOut: boolean;
}

export function usePerson(phone: string): PersonFacts {
  const states = useRead(["consent", phone, "state"], (api, signal) =>
    api.consent.list({ phone_number: phone }, { signal }),
  );
  const contacts = useRead(["contacts", "of", phone], (api, signal) =>
    api.contacts.list({ phone_number: phone, limit: 1 }, { signal }),
  );
  const consent = states.data?.data ?? [];
  const optedOut = consent.filter((state) => state.status === "opted_out");
  const isWhole = optedOut.some((state) => state.customer_id === null);
  return {
    contact: contacts.data?.data[0],
    consent,
    isOptedOut: isWhole || (optedOut.length > 0 && optedOut.length === consent.length),
  };
}
