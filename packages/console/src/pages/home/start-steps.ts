import { useAccount } from "../../api/account.tsx";
import { useRead } from "../../api/queries.ts";

export interface StartStep {
  readonly title: string;
  readonly about: string;
  readonly path: string;
  readonly isDone: boolean;
}

/** The way from nothing to live. Every tick is read from what is stored. */
export function useStartSteps(): readonly StartStep[] {
  const { account, mode } = useAccount();
  const any = { limit: 1 };
  const numbers = useRead(["numbers", "any"], (api, signal) =>
    api.numbers.list({ ...any, mode }, { signal }),
  );
  const sent = useRead(["home", "sent"], (api, signal) =>
    api.messages.list({ ...any, direction: "outbound" }, { signal }),
  );
  const received = useRead(["home", "received"], (api, signal) =>
    api.messages.list({ ...any, direction: "inbound" }, { signal }),
  );
  const webhooks = useRead(["webhooks", "any"], (api, signal) =>
    api.webhooks.list(any, { signal }),
  );
  const codes = useRead(["verify-stats", "any"], (api, signal) =>
    api.verify.stats({ hours: 720 }, { signal }),
  );
  const has = (page: { data: unknown[] } | undefined) => (page?.data.length ?? 0) > 0;
  return [
    {
      title: "Get a number",
      about: "Who your texts come from",
      path: "numbers/buy",
      isDone: has(numbers.data),
    },
    {
      title: "Send a text",
      about: "To a sandbox number",
      path: "messages/new",
      isDone: has(sent.data),
    },
    {
      title: "Receive a reply",
      about: "Write on the sandbox phone",
      path: "phone",
      isDone: has(received.data),
    },
    {
      title: "Add a webhook",
      about: "Hear of every event",
      path: "webhooks",
      isDone: has(webhooks.data),
    },
    {
      title: "Verify a phone",
      about: "Text a code, check it",
      path: "verify",
      isDone: (codes.data?.totals.approved ?? 0) > 0,
    },
    {
      title: "Go live",
      about: "Reviewed by the operator",
      path: "settings",
      isDone: account.live_access === "granted",
    },
  ];
}
