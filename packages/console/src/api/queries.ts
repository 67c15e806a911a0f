import type { Longwave } from "@longwave/sdk";
import {
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { makeIdempotencyKey } from "../clock.ts";
import { useAccount } from "./account.tsx";

export interface ReadOptions {
  /** Asks again this often while the page is looked at; for what has no event. */
  readonly everyMs?: number | false;
  readonly enabled?: boolean;
  readonly staleMs?: number;
}

const STALE_MS = 30_000;

/** Reads something of the account. `key` begins with the name by which events find it. */
export function useRead<T>(
  key: readonly unknown[],
  read: (api: Longwave, signal: AbortSignal) => PromiseLike<T>,
  options: ReadOptions = {},
): UseQueryResult<T> {
  const { api, scope } = useAccount();
  return useQuery({
    queryKey: [...scope, ...key],
    queryFn: async ({ signal }) => read(api, signal),
    // What is asked for again and again moves: whoever comes back to it sees what it is now.
    staleTime: options.staleMs ?? (options.everyMs ? 0 : STALE_MS),
    refetchInterval: options.everyMs ?? false,
    enabled: options.enabled ?? true,
  });
}

export interface ActOptions<T> {
  /** Names of what is no longer true afterwards. */
  readonly stale?: readonly string[];
  readonly onDone?: (result: T) => void;
}

export interface ActContext {
  readonly api: Longwave;
  /** One click, one key: what is retried is done once. */
  readonly idempotencyKey: string;
}

/** Does something, once per click, and reads again what it changed. */
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
