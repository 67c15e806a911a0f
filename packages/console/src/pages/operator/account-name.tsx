import { Link } from "@tanstack/react-router";
import { useRead } from "../../api/queries.ts";
import { shortId } from "../../ui/copy.tsx";

const STALE_MS = 300_000;

/** Name of an account; its id until the name is read, and where the account is deleted. */
export function AccountName(props: { id: string }) {
  const account = useRead(
    ["op-accounts", props.id],
    (api, signal) => api.operator.accounts.get(props.id, { signal }),
    { staleMs: STALE_MS },
  );
  return <span className="cut">{account.data?.name ?? shortId(props.id)}</span>;
}

/** The name, leading to the account's page. */
export function AccountLink(props: { id: string }) {
  return (
    <Link to={`/op/accounts/${props.id}`} search={{}}>
      <AccountName id={props.id} />
    </Link>
  );
}
