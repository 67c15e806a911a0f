import { queryOptions, useSuspenseQuery } from "@tanstack/react-query";
import { consoleCall } from "./client.ts";
import type { ConsoleSession } from "./session-types.ts";

export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: ({ signal }) => consoleCall<ConsoleSession>("/session", { signal }),
  staleTime: 60_000,
});

export function useSession(): ConsoleSession {
  return useSuspenseQuery(sessionQuery).data;
}
