import type { FailureCode } from "@longwave/contract/tables";
import { useAccount } from "../../api/account.tsx";
import { consoleCall } from "../../api/client.ts";
import { useRead } from "../../api/queries.ts";
import { stringifySearch } from "../../ui/search-params.ts";

/** Failed messages by reason and by carrier, most frequent first. */
export interface FailureCounts {
  readonly counted: number;
  /** Only the newest failures were counted. */
  readonly is_partial: boolean;
  readonly by_reason: readonly { readonly code: FailureCode; readonly count: number }[];
  readonly by_carrier: readonly { readonly carrier: string | null; readonly count: number }[];
}

const REFETCH_MS = 30_000;

/** Failures of messages created since then. */
export function useFailures(since: string) {
  const { scope } = useAccount();
  const path = `/${scope.join("/")}/failures`;
  // Not refetched with every event: the count may read thousands of messages.
  return useRead(
    ["failures", since],
    (_, signal) =>
      consoleCall<FailureCounts>(`${path}${stringifySearch({ created_after: since })}`, { signal }),
    { refetchMs: REFETCH_MS },
  );
}
