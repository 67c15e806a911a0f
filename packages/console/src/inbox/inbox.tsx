import { useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { useAccount } from "../api/account.tsx";
import { setWaiting } from "../ui/tab-title.ts";
import { watchReceived } from "./notices.ts";
import { useInboxSummary, waitingLabel } from "./use-inbox-summary.ts";

/** Keeps the tab's title and desktop notices up to date on every page of the account. */
export function Inbox() {
  const { base } = useAccount();
  const navigate = useNavigate();
  const waiting = useInboxSummary()?.needs_reply ?? 0;
  useEffect(() => {
    setWaiting(waiting);
    return () => setWaiting(0);
  }, [waiting]);
  useEffect(
    () =>
      watchReceived((phone) => {
        void navigate({ to: `${base}/conversations/${phone}`, search: {} } as never);
      }),
    [base, navigate],
  );
  return null;
}

/** Count beside the rail's link to the inbox. */
export function WaitingCount() {
  const label = waitingLabel(useInboxSummary());
  if (label === null) return null;
  return (
    <span className="rail-count">
      {label}
      <span className="sr-only"> need a reply</span>
    </span>
  );
}
