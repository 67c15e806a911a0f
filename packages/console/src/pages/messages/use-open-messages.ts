import { useNavigate } from "@tanstack/react-router";
import { useAccount } from "../../api/account.tsx";
import type { Bucket } from "../../ui/chart.tsx";

const SENT = { direction: "outbound" } as const;

/** Opens the messages that a bar of a chart counts: sent ones, unless other filters are given. */
export function useOpenMessages(
  filters: Readonly<Record<string, string>> = SENT,
): (bucket: Bucket) => void {
  const { base } = useAccount();
  const navigate = useNavigate();
  return ({ from, until }) => {
    const search = { ...filters, created_after: from, created_before: until ?? undefined };
    void navigate({ to: `${base}/messages`, search } as never);
  };
}
