import type { Longwave } from "@longwave/sdk";
import { Link } from "@tanstack/react-router";
import { useAccount } from "../api/account.tsx";
import { useRead } from "../api/queries.ts";

type ReadName = (api: Longwave, id: string, signal: AbortSignal) => Promise<string>;

/** Name of an object by the path of its page. */
const NAME_OF = {
  batches: async (api, id, signal) => {
    const { name, body } = await api.batches.get(id, { signal });
    return name ?? body;
  },
  pools: async (api, id, signal) => (await api.pools.get(id, { signal })).name,
  customers: async (api, id, signal) => (await api.customers.get(id, { signal })).name,
} satisfies Readonly<Record<string, ReadName>>;

export type NamedKind = keyof typeof NAME_OF;

const FRESH_MS = 60_000;

/** Name of an object; undefined until read, and for one that was deleted. */
export function useObjectName(kind: NamedKind, id: string | undefined): string | undefined {
  return useRead(["object-name", kind, id], (api, signal) => NAME_OF[kind](api, id ?? "", signal), {
    staleMs: FRESH_MS,
    enabled: id !== undefined,
  }).data;
}

/** Link to an object by its name. */
export function NamedLink(props: { kind: NamedKind; id: string }) {
  const { kind, id } = props;
  const { base } = useAccount();
  const name = useObjectName(kind, id);
  return (
    <Link to={`${base}/${kind}/${id}`} search={{}} className="wrap-anywhere">
      {name ?? "Open"}
    </Link>
  );
}
