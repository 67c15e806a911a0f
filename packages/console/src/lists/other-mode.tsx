import type { Longwave, Page } from "@longwave/sdk";
import { useQuery } from "@tanstack/react-query";
import { Link, useLocation } from "@tanstack/react-router";
import { useAccount } from "../api/account.tsx";
import { createClient, type Mode } from "../api/client.ts";
import { formatCount } from "../ui/format.ts";

/** Hint under an empty list: the number of rows in the other mode. */
export function OtherModeHint(props: {
  name: readonly unknown[];
  read: (api: Longwave, signal: AbortSignal, mode: Mode) => PromiseLike<Page<unknown>>;
}) {
  const { account, mode } = useAccount();
  const location = useLocation();
  const other = mode === "test" ? "live" : "test";
  const mayRead = other === "test" || account.live_access === "granted";
  const found = useQuery({
    queryKey: [account.id, other, "other-mode", ...props.name],
    queryFn: async ({ signal }) => props.read(createClient(account.id, other), signal, other),
    staleTime: 30_000,
    enabled: mayRead,
  });
  const count = found.data?.data.length ?? 0;
  if (count === 0) return null;
  const path = location.pathname.replace(`/${account.id}/${mode}`, `/${account.id}/${other}`);
  const shown = `${formatCount(count)}${found.data?.has_more ? "+" : ""}`;
  return (
    <p className="other-mode-hint">
      <Link to={path} search={location.search as never}>
        {shown} in {other === "test" ? "the sandbox" : "live"}
      </Link>
    </p>
  );
}
