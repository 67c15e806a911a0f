import { type UseQueryResult, useQuery } from "@tanstack/react-query";

export type ReadinessCheck = { readonly ok: boolean } & Readonly<Record<string, unknown>>;

/** Answer of /readyz. It has status 503, with the failed checks, when something is wrong. */
export interface Readiness {
  readonly ready: boolean;
  readonly checks: Readonly<Partial<Record<string, ReadinessCheck>>>;
}

const REFETCH_MS = 2_000;

export function useReadiness(): UseQueryResult<Readiness> {
  return useQuery({
    queryKey: ["readyz"],
    queryFn: async ({ signal }) => {
      const response = await fetch("/readyz", { signal, redirect: "error" });
      return (await response.json()) as Readiness;
    },
    refetchInterval: REFETCH_MS,
  });
}

export function secondsBehind(readiness: Readiness): readonly (readonly [string, number])[] {
  const behind = readiness.checks["lanes"]?.["seconds_behind"] as
    | Record<string, number>
    | undefined;
  return Object.entries(behind ?? {});
}
