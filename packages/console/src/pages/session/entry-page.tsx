import { Navigate } from "@tanstack/react-router";
import { useSession } from "../../api/session.ts";
import { readStored } from "../../storage.ts";
import { Empty } from "../../ui/empty.tsx";

/** `/` leads to where the reader was last, or to the first of their accounts. */
export function EntryPage() {
  const session = useSession();
  if (!session.user) return <Navigate to={"/sign-in" as never} search={{} as never} />;
  const last = readStored(localStorage, "account");
  const account = session.accounts.find((each) => each.id === last) ?? session.accounts[0];
  if (account)
    return <Navigate to={`/${account.id}/test/` as never} search={{} as never} replace />;
  if (session.user.operator) {
    return <Navigate to={"/op" as never} search={{} as never} replace />;
  }
  return (
    <main className="door">
      <Empty icon="building" title="You belong to no account">
        Ask an owner or admin for an invitation.
      </Empty>
    </main>
  );
}
