import { useNavigate } from "@tanstack/react-router";
import { useAccount } from "../../api/account.tsx";
import type { Bucket } from "../../ui/chart.tsx";

/** Opens the sent messages that a bar of a chart counts. */
export function useOpenMessages(): (bucket: Bucket) => void {
  const { base } = useAccount();
  const navigate = useNavigate();
  return ({ from, until }) => {
    const search = {
      direction: "outbound",
      created_after: from,
      created_before: until ?? undefined,
    };
    void navigate({ to: `${base}/messages`, search } as never);
  };
}
