import type { ApiKey, Page } from "@longwave/sdk";
import { useAccount, useMay } from "../../api/account.tsx";
import { useConsoleRead } from "../../api/console-queries.ts";
import { useRead } from "../../api/queries.ts";

export interface StartStep {
  readonly title: string;
  readonly about: string;
  readonly path: string;
  readonly isDone: boolean;
}

const ONE = { limit: 1 };
/** Thirty days: what was verified once stays ticked for as long as it is counted. */
const STATS_HOURS = 720;

/** The way from nothing to live. Every tick is read from what is stored. */
export function useStartSteps(): readonly StartStep[] {
  const { account } = useAccount();
  const mayListKeys = useMay("member");
  const keys = useConsoleRead<Page<ApiKey>>("keys", mayListKeys);
  const sent = useRead(["home", "sent"], (api, signal) =>
    api.messages.list({ ...ONE, direction: "outbound" }, { signal }),
  );
  const webhooks = useRead(["webhooks", "any"], (api, signal) =>
    api.webhooks.list(ONE, { signal }),
  );
  const codes = useRead(["verify-stats", "any"], (api, signal) =>
    api.verify.stats({ hours: STATS_HOURS }, { signal }),
  );
  const registrations = useRead(["registrations", "any"], (api, signal) =>
    api.registrations.list(ONE, { signal }),
  );
  const has = (page: { data: readonly unknown[] } | undefined) => (page?.data.length ?? 0) > 0;
  const isUsed = keys.data?.data.some((key) => key.last_used_at !== null) ?? false;
  // biome-ignore format: one step per line, read as a table
  return [
    { title: "Call with a key",   about: "Paste the curl below",       path: "keys",          isDone: isUsed },
    { title: "Send a text",       about: "To a sandbox number",        path: "messages/new",  isDone: has(sent.data) },
    { title: "Add a webhook",     about: "Hear of every event",        path: "webhooks",      isDone: has(webhooks.data) },
    { title: "Verify a phone",    about: "Text a code, check it",      path: "verify",        isDone: (codes.data?.totals.approved ?? 0) > 0 },
    { title: "Register",          about: "Tell carriers who you are",  path: "registrations", isDone: has(registrations.data) },
    { title: "Go live",           about: "Reviewed by the operator",   path: "live-access",   isDone: account.live_access === "granted" },
  ];
}
