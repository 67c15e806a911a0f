import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useLocation } from "@tanstack/react-router";
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
import { AskForLink } from "./ask-for-link.tsx";
import { Door } from "./door.tsx";

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
    about: "Whoever else is signed in as you will be signed out.",
    submit: "Set the password",
  },
};

/** `/reset` is where the link of a mail leads, and where one asks for it. */
export function ResetPage() {
  const { hash } = useLocation();
  return hash === "" ? <AskForLink /> : <LinkPage />;
}

/** The page of a one-time link. Its token stands behind the #, which no server and no log ever sees. */
export function LinkPage() {
  // A link that is pasted into the tab of another changes nothing but this.
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
      <Door title="This link does not work">
        <ErrorBox error={link.error} />
      </Door>
    );
  }
  if (!link.data) {
    return (
      <Door title="One moment">
        <Skeleton />
      </Door>
    );
  }
  if (link.data.kind === "invitation" && link.data.is_known) {
    return <JoinWithPassword token={token} email={link.data.email ?? ""} />;
  }
  const { title, about } = TITLES[link.data.kind];
  return (
    <Door title={title} about={about}>
      <LinkForm token={token} link={link.data} />
    </Door>
  );
}

/** They have a password here: they sign in with it, and the invitation adds the account. */
function JoinWithPassword(props: { token: string; email: string }) {
  const { token, email } = props;
  const session = useSession();
  const client = useQueryClient();
  const join = useMutation({
    mutationFn: () => consoleCall("/links/join", { method: "POST", body: { token } }),
    // A whole load: the token leaves the address, and the new account is there.
    onSuccess: () => location.assign("/"),
  });
  const isThem = session.user?.email.toLowerCase() === email.toLowerCase();
  return (
    <Door
      title="Join the account"
      about={isThem ? `You are signed in as ${email}.` : `Sign in as ${email} to take it.`}
    >
      <div className="stack">
        {join.error ? <ErrorBox error={join.error} /> : null}
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
    </Door>
  );
}

function LinkForm(props: { token: string; link: LinkAnswer }) {
  const { token, link } = props;
  const [email, setEmail] = useState(link.email ?? "");
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const isNew = link.kind !== "reset";
  const redeem = useMutation({
    mutationFn: () =>
      consoleCall<SignInAnswer>("/links/redeem", {
        method: "POST",
        body: {
          token,
          password,
          ...(isNew && name ? { name } : {}),
          ...(link.email === null ? { email } : {}),
        },
      }),
    // A whole load: the token leaves the address, and the session begins with a clean page.
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
      <PasswordField
        isNew
        value={password}
        error={errorAt(redeem.error, "password")}
        onChange={setPassword}
      />
      {errorBeside(redeem.error, ["email", "password"]) !== null && (
        <ErrorBox error={redeem.error} />
      )}
      <Button type="submit" kind="primary" busy={redeem.isPending}>
        {TITLES[link.kind].submit}
      </Button>
    </form>
  );
}
