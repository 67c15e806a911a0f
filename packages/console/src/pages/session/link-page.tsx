import { NAME_CHARS_MAX } from "@longwave/contract/tables";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useLocation } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { consoleCall } from "../../api/client.ts";
import { sessionQuery, useSession } from "../../api/session.ts";
import type { LinkAnswer, SignInAnswer } from "../../api/session-types.ts";
import { SignInForm } from "../../shell/sign-in-form.tsx";
import { Button } from "../../ui/button.tsx";
import { Skeleton } from "../../ui/empty.tsx";
import { errorAt, errorBeside, TextField } from "../../ui/field.tsx";
import { PasswordField } from "../../ui/password-field.tsx";
import { ErrorBox } from "../../ui/problem.tsx";
import { RequestResetLink } from "./request-reset-link.tsx";
import { SignedOutFrame } from "./signed-out-frame.tsx";

const TITLES: Readonly<
  Record<LinkAnswer["kind"], { title: string; about: string; submit: string }>
> = {
  first: {
    title: "Welcome to Longwave",
    about: "You are the first: you own the first account and run the installation.",
    submit: "Create my account",
  },
  invitation: {
    title: "Join the account",
    about: "Choose a password for the console.",
    submit: "Join",
  },
  reset: {
    title: "A new password",
    about: "Every other session of yours ends.",
    submit: "Set the password",
  },
};

/** `/reset`: with a token it opens the link of a mail, without one it requests a link. */
export function ResetPage() {
  const { hash } = useLocation();
  return hash === "" ? <RequestResetLink /> : <LinkPage />;
}

/** Page of a one-time link. The token is in the URL fragment, which no server and no log sees. */
export function LinkPage() {
  // Read from the router: pasting a link into an open tab changes only the fragment.
  const { hash } = useLocation();
  return <OneLink key={hash} />;
}

function OneLink() {
  const [token] = useState(() => location.hash.slice(1));
  const link = useQuery({
    queryKey: ["link", token],
    queryFn: () => consoleCall<LinkAnswer>("/links/open", { method: "POST", body: { token } }),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (link.error) {
    return (
      <SignedOutFrame title="This link does not work">
        <ErrorBox plain error={link.error} />
        <p className="meta">
          <Link to="/sign-in" search={{}}>
            Go to the sign-in
          </Link>
        </p>
      </SignedOutFrame>
    );
  }
  if (!link.data) {
    return (
      <SignedOutFrame title="One moment">
        <Skeleton />
      </SignedOutFrame>
    );
  }
  if (link.data.kind === "invitation" && link.data.is_known) {
    return <JoinWithPassword token={token} link={link.data} />;
  }
  const { title, about } = TITLES[link.data.kind];
  const invitation = link.data.kind === "invitation" ? link.data : null;
  return (
    <SignedOutFrame
      title={invitation ? joinTitle(invitation) : title}
      about={invitation ? `${inviterWords(invitation)} ${about}` : about}
    >
      <LinkForm token={token} link={link.data} />
    </SignedOutFrame>
  );
}

function joinTitle({ account_name }: LinkAnswer): string {
  return `Join ${account_name ?? "the account"}`;
}

function inviterWords({ invited_by, role }: LinkAnswer): string {
  return `${invited_by ?? "The operator"} invites you as ${role === "admin" || role === "owner" ? "an" : "a"} ${role ?? "member"}.`;
}

/** The person has a password: signing in with it accepts the invitation. */
function JoinWithPassword(props: { token: string; link: LinkAnswer }) {
  const { token, link } = props;
  const email = link.email ?? "";
  const session = useSession();
  const client = useQueryClient();
  const join = useMutation({
    mutationFn: () => consoleCall("/links/join", { method: "POST", body: { token } }),
    // A full page load drops the token from the address and loads the new account.
    onSuccess: () => location.assign("/"),
  });
  const isThem = session.user?.email.toLowerCase() === email.toLowerCase();
  return (
    <SignedOutFrame
      title={joinTitle(link)}
      about={`${inviterWords(link)} ${
        isThem ? `You are signed in as ${email}.` : `Sign in as ${email} to accept.`
      }`}
    >
      <div className="stack">
        {join.error ? <ErrorBox plain error={join.error} /> : null}
        {isThem ? (
          <Button kind="primary" busy={join.isPending} onClick={() => join.mutate()}>
            Join
          </Button>
        ) : (
          <SignInForm
            email={email}
            onDone={() => void client.invalidateQueries({ queryKey: sessionQuery.queryKey })}
          />
        )}
      </div>
    </SignedOutFrame>
  );
}

function LinkForm(props: { token: string; link: LinkAnswer }) {
  const { token, link } = props;
  const [email, setEmail] = useState(link.email ?? "");
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const [accountName, setAccountName] = useState("");
  const isNew = link.kind !== "reset";
  const isFirst = link.kind === "first" && link.account_name !== null;
  const redeem = useMutation({
    mutationFn: () =>
      consoleCall<SignInAnswer>("/links/redeem", {
        method: "POST",
        body: {
          token,
          password,
          ...(isNew && name ? { name } : {}),
          ...(isFirst ? { account_name: accountName } : {}),
          ...(link.email === null ? { email } : {}),
        },
      }),
    // A full page load drops the token from the address and starts the session with an empty cache.
    onSuccess: () => location.assign("/"),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    redeem.mutate();
  };
  return (
    <form className="stack" onSubmit={submit}>
      <TextField
        label="Email"
        type="email"
        required
        autoComplete="username"
        disabled={link.email !== null}
        value={email}
        error={errorAt(redeem.error, "email")}
        onChange={(event) => setEmail(event.target.value)}
      />
      {isNew && (
        <TextField
          label="Name"
          optional
          autoComplete="name"
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      )}
      {isFirst && (
        <TextField
          label="Business name"
          required
          maxLength={NAME_CHARS_MAX}
          autoComplete="organization"
          help="Your account's name. Automatic replies to STOP, START and HELP begin with it."
          value={accountName}
          error={errorAt(redeem.error, "account_name")}
          onChange={(event) => setAccountName(event.target.value)}
        />
      )}
      <PasswordField
        isNew
        value={password}
        error={errorAt(redeem.error, "password")}
        onChange={setPassword}
      />
      {errorBeside(redeem.error, ["email", "account_name", "password"]) !== null && (
        <ErrorBox plain error={redeem.error} />
      )}
      <Button type="submit" kind="primary" busy={redeem.isPending}>
        {TITLES[link.kind].submit}
      </Button>
    </form>
  );
}
