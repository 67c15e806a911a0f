import { useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { sessionQuery, useSession } from "../../api/session.ts";
import { SignInForm } from "../../shell/sign-in-form.tsx";
import { Note } from "../../ui/problem.tsx";
import { Redirect } from "../../ui/redirect.tsx";
import { useFilters } from "../../ui/search-params.ts";
import { sameOriginPath } from "./same-origin-path.ts";
import { SignedOutFrame } from "./signed-out-frame.tsx";

export function SignInPage() {
  const session = useSession();
  const [search] = useFilters();
  const client = useQueryClient();
  if (session.user) return <Redirect href={sameOriginPath(search["next"])} />;
  if (session.needs_first_user) {
    return (
      <SignedOutFrame title="Welcome to Longwave">
        <Note tone="blue">
          Nobody can sign in yet. The server printed a link for the first person when it started;
          open it. It works once, for a day. <code>longwave console-link</code> prints another.
        </Note>
      </SignedOutFrame>
    );
  }
  return (
    <SignedOutFrame title="Sign in" about="To your Longwave console.">
      <SignInForm onDone={() => void client.refetchQueries({ queryKey: sessionQuery.queryKey })} />
      <p className="meta">
        {session.features.reset_by_mail ? (
          <Link to="/reset" search={{}}>
            Forgot the password?
          </Link>
        ) : (
          "Forgot the password? An admin of your account makes you a link for a new one."
        )}
      </p>
    </SignedOutFrame>
  );
}
