import type { Message, Page } from "@longwave/sdk";
import { type UseQueryResult, useInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useAccount } from "../../api/account.tsx";
import { useRead } from "../../api/queries.ts";
import { formatWeekday } from "../../ui/format.ts";

const MESSAGES_MAX = 100;
const PAGE_ITEMS = 50;

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

export interface Thread {
  /** Oldest first; null until the first page is read. */
  readonly messages: readonly Message[] | null;
  readonly error: unknown;
  readonly hasOlder: boolean;
  readonly isLoadingOlder: boolean;
  loadOlder(): void;
  retry(): void;
}

/** Messages with one person, a page at a time from the newest. Events refetch what is loaded. */
export function usePagedThread(phone: string): Thread {
  const { api, scope } = useAccount();
  const query = useInfiniteQuery({
    queryKey: [...scope, "thread", phone, "pages"],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam: cursor, signal }) =>
      api.messages.list({ number: phone, limit: PAGE_ITEMS, cursor }, { signal }),
    getNextPageParam: (page: Page<Message>) => page.next_cursor ?? undefined,
    staleTime: 30_000,
  });
  const { fetchNextPage, hasNextPage, isError, isFetching } = query;
  const loaded = query.data?.pages.length ?? 0;
  const [wanted, setWanted] = useState({ phone, pages: 1 });
  const isShort = wanted.phone === phone && wanted.pages > loaded && hasNextPage;
  // An event's refetch cancels the request of an older page.
  useEffect(() => {
    if (isShort && !isFetching && !isError) void fetchNextPage();
  }, [isShort, isFetching, isError, fetchNextPage]);
  return {
    messages: query.data ? query.data.pages.flatMap((page) => page.data).toReversed() : null,
    error: query.data ? null : query.error,
    hasOlder: hasNextPage,
    isLoadingOlder: isShort && isFetching,
    loadOlder: () => {
      setWanted({ phone, pages: loaded + 1 });
      void fetchNextPage();
    },
    retry: () => void query.refetch(),
  };
}

export interface ThreadDay {
  readonly day: string;
  readonly messages: readonly Message[];
}

/** Messages by calendar day in the reader's zone. */
export function byDay(messages: readonly Message[]): ThreadDay[] {
  const days: { day: string; messages: Message[] }[] = [];
  for (const message of messages) {
    const day = formatWeekday(message.created_at);
    const last = days.at(-1);
    if (last?.day === day) last.messages.push(message);
    else days.push({ day, messages: [message] });
  }
  return days;
}
