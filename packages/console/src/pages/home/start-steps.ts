import { useEffect, useState } from "react";
import { useAccount } from "../../api/account.tsx";
import { consoleCall } from "../../api/client.ts";
import { useRead } from "../../api/queries.ts";
import type { HomeState } from "../../api/session-types.ts";

export interface StartStep {
  readonly title: string;
  readonly about: string;
  readonly path: string;
  readonly isDone: boolean;
}

/** Refetch interval while steps are open: other people or programs may complete them. */
const REFETCH_MS = 5_000;

/** Setup progress and a number to send from, in one call. */
export function useHome(): HomeState | undefined {
  const { base } = useAccount();
  const [isDone, setIsDone] = useState(false);
  const { data } = useRead(
    ["start"],
    (_, signal) => consoleCall<HomeState>(`${base}/home`, { signal }),
    { refetchMs: isDone ? false : REFETCH_MS, staleMs: 0 },
  );
  const areAllDone = data !== undefined && startSteps(data).every((step) => step.isDone);
  useEffect(() => setIsDone(areAllDone), [areAllDone]);
  return data;
}

/** Setup steps from an empty account to live access. Stored data ticks each step. */
export function startSteps({ steps }: HomeState): readonly StartStep[] {
  // biome-ignore format: one step per line, read as a table
  return [
    { title: "Make your first API call", about: "Paste the curl below",       path: "keys",          isDone: steps.key_used },
    { title: "Send a text",       about: "To a sandbox number",        path: "messages/new",  isDone: steps.text_sent },
    { title: "Get every event",   about: "Add a webhook",              path: "webhooks",      isDone: steps.webhook_added },
    { title: "Verify a phone",    about: "Text a code, check it",      path: "verify",        isDone: steps.phone_verified },
    { title: "Register",          about: "Tell carriers who you are",  path: "registrations", isDone: steps.registration_made },
    { title: "Go live",           about: "Reviewed by the operator",   path: "live-access",   isDone: steps.live_access },
  ];
}
