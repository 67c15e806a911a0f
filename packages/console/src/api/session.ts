import { queryOptions, useSuspenseQuery } from "@tanstack/react-query";
import { consoleCall } from "./client.ts";
import type { ConsoleSession, SessionUser } from "./session-types.ts";

/** The session call that boot.js made. Used once: later reads call the server. */
interface BootGlobals {
  longwaveSession?: Promise<Response | null> | undefined;
}

async function bootedSession(): Promise<ConsoleSession | null> {
  const bootGlobals = globalThis as BootGlobals;
  const pending = bootGlobals.longwaveSession;
  bootGlobals.longwaveSession = undefined;
  const response = await pending;
  return response?.ok ? ((await response.json()) as ConsoleSession) : null;
}

export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: async ({ signal }) =>
    (await bootedSession()) ?? (await consoleCall<ConsoleSession>("/session", { signal })),
  staleTime: 60_000,
});

/** Whether the person has to set up a second factor before anything else. */
export function lacksSecondFactor(user: SessionUser): boolean {
  return user.second_factor_required && !user.totp_enabled && !user.passkeys_enabled;
}

/** Whether accounts pay. Without billing no page shows money. */
export function useHasBilling(): boolean {
  return useSession().features.billing;
}

export function useSession(): ConsoleSession {
  return useSuspenseQuery(sessionQuery).data;
}
