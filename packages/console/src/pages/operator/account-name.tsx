import { Link } from "@tanstack/react-router";
import { useRead } from "../../api/queries.ts";
import { shortId } from "../../ui/copy.tsx";

const STALE_MS = 300_000;

/** Name of an account; undefined until it is read, and where the account is deleted. */
export function useAccountName(id: string): string | undefined {
  return useRead(["op-accounts", id], (api, signal) => api.operator.accounts.get(id, { signal }), {
    staleMs: STALE_MS,
    enabled: id !== "",
  }).data?.name;
}

/** Name of an account; its id until the name is read, and where the account is deleted. */
export function AccountName(props: { id: string }) {
  return <span className="cut">{useAccountName(props.id) ?? shortId(props.id)}</span>;
}

/** The name, leading to the account's page. */
export function AccountLink(props: { id: string }) {
  return (
    <Link to={`/op/accounts/${props.id}`} search={{}}>
      <AccountName id={props.id} />
    </Link>
  );
}
