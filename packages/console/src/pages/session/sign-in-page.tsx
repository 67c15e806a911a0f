import { useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { sessionQuery, useSession } from "../../api/session.ts";
import { SignInForm } from "../../shell/sign-in-form.tsx";
import { Note } from "../../ui/problem.tsx";
import { useFilters } from "../../ui/search-params.ts";
import { Door } from "./door.tsx";
import { ownPath } from "./own-path.ts";

export function SignInPage() {
  const session = useSession();
  const [search] = useFilters();
  const client = useQueryClient();
  const navigate = useNavigate();
  const done = async () => {
    await client.refetchQueries({ queryKey: sessionQuery.queryKey });
    void navigate({ href: ownPath(search["next"]), replace: true } as never);
  };
  if (session.needs_first_user) {
    return (
      <Door title="Welcome to Longwave">
        <Note tone="blue">
          Nobody can sign in yet. The server printed a link for the first person when it started;
          open it. It works once, for a day. <code>npx longwave console-link</code> prints another.
        </Note>
      </Door>
    );
  }
  return (
    <Door title="Sign in" about="To your Longwave console.">
      <SignInForm onDone={() => void done()} />
      <p className="meta">
        {session.features.reset_by_mail ? (
          <Link to="/reset" search={{}}>
            Forgot the password?
          </Link>
        ) : (
          "Forgot the password? An admin of your account makes you a link for a new one."
        )}
      </p>
    </Door>
  );
}
