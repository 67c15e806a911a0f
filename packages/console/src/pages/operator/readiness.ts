import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { consoleCall } from "../../api/client.ts";

export type ReadinessCheck = { readonly ok: boolean } & Readonly<Record<string, unknown>>;

/** Answer of /readyz with its details, which only operators and the machine itself see. */
export interface Readiness {
  readonly ready: boolean;
  readonly checks: Readonly<Partial<Record<string, ReadinessCheck>>>;
}

const REFETCH_MS = 2_000;

export function useReadiness(): UseQueryResult<Readiness> {
  return useQuery({
    queryKey: ["readyz"],
    queryFn: ({ signal }) => consoleCall<Readiness>("/readiness", { signal }),
    refetchInterval: REFETCH_MS,
  });
}

export function secondsBehind(readiness: Readiness): readonly (readonly [string, number])[] {
  const behind = readiness.checks["lanes"]?.["seconds_behind"] as
    | Record<string, number>
    | undefined;
  return Object.entries(behind ?? {});
}
