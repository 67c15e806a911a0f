import { lacksSecondFactor, useSession } from "../../api/session.ts";
import { ToSignIn } from "../../shell/to-sign-in.tsx";
import { readStored } from "../../storage.ts";
import { Empty } from "../../ui/empty.tsx";
import { Redirect } from "../../ui/redirect.tsx";

/** Redirects `/` to the last visited account, or to the first. */
export function EntryPage() {
  const session = useSession();
  if (!session.user) return <ToSignIn />;
  if (lacksSecondFactor(session.user)) return <Redirect href="/me" />;
  const last = readStored(localStorage, "account");
  const account = session.accounts.find((each) => each.id === last) ?? session.accounts[0];
  if (account) return <Redirect href={`/${account.id}/test/`} />;
  if (session.user.operator) return <Redirect href="/op" />;
  return (
    <main className="signed-out">
      <Empty icon="building" title="You belong to no account">
        Ask an owner or admin for an invitation.
      </Empty>
    </main>
  );
}
