import { useParams } from "@tanstack/react-router";
import { AccountProvider } from "../api/account.tsx";
import { lacksSecondFactor, useSession } from "../api/session.ts";
import { Inbox } from "../inbox/inbox.tsx";
import { useLiveUpdates } from "../live/use-live.ts";
import { Button, ButtonLink } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { Redirect } from "../ui/redirect.tsx";
import { Bell } from "./bell.tsx";
import { Layout } from "./layout.tsx";
import { ACCOUNT_NAV } from "./navigation.ts";
import { ToSignIn } from "./to-sign-in.tsx";
import { LiveDot, ModeSwitch } from "./top.tsx";
import { VisitBanner } from "./visit-banner.tsx";

export function AccountLayout() {
  const { account: id, mode } = useParams({ strict: false }) as { account: string; mode: string };
  const session = useSession();
  if (!session.user) return <ToSignIn />;
  if (lacksSecondFactor(session.user)) return <Redirect href="/me" />;
  const account = session.accounts.find((each) => each.id === id);
  if (!account || (mode !== "test" && mode !== "live")) return <NoSuchAccount />;
  return (
    <AccountProvider key={`${id}/${mode}`} account={account} mode={mode}>
      <Live />
      <Inbox />
      <Layout
        base={`/${id}/${mode}`}
        groups={ACCOUNT_NAV}
        account={account}
        mode={mode}
        banner={<VisitBanner />}
        top={
          <>
            <LiveDot />
            <Bell />
            <ModeSwitch />
          </>
        }
      />
    </AccountProvider>
  );
}

function Live() {
  useLiveUpdates();
  return null;
}

function NoSuchAccount() {
  return (
    <main>
      <Empty
        icon="building"
        title="You don't have access to this account"
        action={
          <>
            <ButtonLink to="/" kind="primary">
              Go to your accounts
            </ButtonLink>
            <Button onClick={() => history.back()}>Back</Button>
          </>
        }
      >
        The address names an account that does not exist, or that you are not a member of. Ask its
        owner for an invitation.
      </Empty>
    </main>
  );
}
