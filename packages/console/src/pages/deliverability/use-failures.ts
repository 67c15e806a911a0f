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

/** Failures of messages created since then. */
export function useFailures(since: string) {
  const { scope } = useAccount();
  const path = `/${scope.join("/")}/failures`;
  return useRead(["home", "failures", since], (_, signal) =>
    consoleCall<FailureCounts>(`${path}${stringifySearch({ created_after: since })}`, { signal }),
  );
}
