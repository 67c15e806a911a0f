import { queryOptions, useSuspenseQuery } from "@tanstack/react-query";
import { consoleCall } from "./client.ts";
import type { ConsoleSession } from "./session-types.ts";

/** What boot.js asked before this program was there. It is taken once: later readings are new ones. */
interface Booted {
  longwaveSession?: Promise<Response | null> | undefined;
}

async function bootedSession(): Promise<ConsoleSession | null> {
  const booted = globalThis as Booted;
  const asked = booted.longwaveSession;
  booted.longwaveSession = undefined;
  const response = await asked;
  return response?.ok ? ((await response.json()) as ConsoleSession) : null;
}

export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: async ({ signal }) =>
    (await bootedSession()) ?? (await consoleCall<ConsoleSession>("/session", { signal })),
  staleTime: 60_000,
});

export function useSession(): ConsoleSession {
  return useSuspenseQuery(sessionQuery).data;
}
