import type { Deliverability } from "@longwave/sdk";
import { useAccount } from "../../api/account.tsx";
import { consoleCall } from "../../api/client.ts";
import { useRead } from "../../api/queries.ts";

const REFETCH_MS = 30_000;

/** Messages sent from a number, or from the members of a pool, in the last 30 days. */
export function useTraffic(of: "numbers" | "pools", id: string) {
  const { scope } = useAccount();
  return useRead(
    ["traffic", of, id],
    (_, signal) =>
      consoleCall<Deliverability>(`/${scope.join("/")}/${of}/${encodeURIComponent(id)}/traffic`, {
        signal,
      }),
    { refetchMs: REFETCH_MS },
  );
}
