import type { Longwave } from "@longwave/sdk";
import {
  keepPreviousData,
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { makeIdempotencyKey } from "../clock.ts";
import { useAccount } from "./account.tsx";

export interface ReadOptions {
  /** Refetch interval while the page is visible, for data without events. */
  readonly refetchMs?: number | false;
  readonly enabled?: boolean;
  readonly staleMs?: number;
  /** Shows the previous key's data until the new key's arrives. */
  readonly keepsPrevious?: true;
}

const STALE_MS = 30_000;

/** Reads data of the account. `key` begins with the name under which events invalidate it. */
export function useRead<T>(
  key: readonly unknown[],
  read: (api: Longwave, signal: AbortSignal) => PromiseLike<T>,
  options: ReadOptions = {},
): UseQueryResult<T> {
  const { api, scope } = useAccount();
  return useQuery({
    queryKey: [...scope, ...key],
    queryFn: async ({ signal }) => read(api, signal),
    // Data with a refetch interval changes often: coming back to it always refetches.
    staleTime: options.staleMs ?? (options.refetchMs ? 0 : STALE_MS),
    refetchInterval: options.refetchMs ?? false,
    enabled: options.enabled ?? true,
    ...(options.keepsPrevious && { placeholderData: keepPreviousData }),
  });
}

export interface ActOptions<T> {
  /** Query names to invalidate afterwards. */
  readonly stale?: readonly string[];
  readonly onDone?: (result: T) => void;
}

export interface ActContext {
  readonly api: Longwave;
  /** One key per click, so that a retry has no second effect. */
  readonly idempotencyKey: string;
}

/** Performs an action once per click, then refetches what it changed. */
export function useAct<I, T>(
  act: (input: I, context: ActContext) => PromiseLike<T>,
  options: ActOptions<T> = {},
): UseMutationResult<T, unknown, I> {
  const { api, scope } = useAccount();
  const client = useQueryClient();
  return useMutation<T, unknown, I>({
    mutationFn: async (input) => act(input, { api, idempotencyKey: makeIdempotencyKey() }),
    onSuccess: (result) => {
      for (const name of options.stale ?? []) {
        void client.invalidateQueries({ queryKey: [...scope, name] });
      }
      options.onDone?.(result);
    },
  });
}
