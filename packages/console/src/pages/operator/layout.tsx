import { Navigate, useLocation } from "@tanstack/react-router";
import { AccountProvider } from "../../api/account.tsx";
import { useSession } from "../../api/session.ts";
import type { SessionAccount } from "../../api/session-types.ts";
import { Layout } from "../../shell/layout.tsx";
import { OPERATOR_NAV } from "../../shell/navigation.ts";
import { Badge } from "../../ui/status.tsx";

/** The operator's pages belong to no account: their queries have a scope of their own. */
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
  const location = useLocation();
  if (!session.user?.operator) {
    return <Navigate to={"/sign-in" as never} search={{ next: location.href } as never} />;
  }
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
