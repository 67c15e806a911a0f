import { AccountProvider } from "../../api/account.tsx";
import { lacksSecondFactor, useSession } from "../../api/session.ts";
import type { SessionAccount } from "../../api/session-types.ts";
import { Layout } from "../../shell/layout.tsx";
import { OPERATOR_NAV } from "../../shell/navigation.ts";
import { ToSignIn } from "../../shell/to-sign-in.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Redirect } from "../../ui/redirect.tsx";
import { Badge } from "../../ui/status.tsx";

/** Placeholder account of the operator's pages, whose queries need a scope of their own. */
const OPERATOR: SessionAccount = {
  id: "operator",
  name: "Operator",
  status: "active",
  live_access: "granted",
  role: "owner",
  visited: false,
};

export function OperatorLayout() {
  const session = useSession();
  if (!session.user) return <ToSignIn />;
  if (lacksSecondFactor(session.user)) return <Redirect href="/me" />;
  if (!session.user.operator) return <NotOperator />;
  return (
    <AccountProvider account={OPERATOR} mode="live">
      <Layout
        base="/op"
        groups={OPERATOR_NAV}
        account={null}
        mode="live"
        top={<Badge tone="violet" icon="tower" word="Operator" />}
      />
    </AccountProvider>
  );
}

function NotOperator() {
  return (
    <main>
      <Empty
        icon="tower"
        title="These pages are for the operator"
        action={
          <ButtonLink to="/" kind="primary">
            Go to your accounts
          </ButtonLink>
        }
      >
        You are signed in, but you do not run this installation. Ask its operator.
      </Empty>
    </main>
  );
}
