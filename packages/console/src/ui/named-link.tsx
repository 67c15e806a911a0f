import { Link } from "@tanstack/react-router";
import { useAccount } from "../api/account.tsx";
import { useNameOf } from "../api/names.ts";

/** Paths of objects with a page and a name. */
export type NamedKind = "batches" | "pools" | "customers" | "segments" | "topics";

/** Link to an object by its name. */
export function NamedLink(props: { kind: NamedKind; id: string }) {
  const { kind, id } = props;
  const { base } = useAccount();
  const name = useNameOf(id);
  return (
    <Link to={`${base}/${kind}/${id}`} search={{}} className="wrap-anywhere">
      {name ?? "Open"}
    </Link>
  );
}
