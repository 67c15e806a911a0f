import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { consoleCall } from "../../api/client.ts";
import { useSession } from "../../api/session.ts";
import { Button } from "../../ui/button.tsx";
import { errorAt, errorBeside, TextField } from "../../ui/field.tsx";
import { ErrorBox, Note } from "../../ui/problem.tsx";
import { SignedOutFrame } from "./signed-out-frame.tsx";

/** Requests a password reset link by mail. The answer never reveals whether the email exists. */
export function RequestResetLink() {
  const { features } = useSession();
  const [email, setEmail] = useState("");
  const ask = useMutation({
    mutationFn: () => consoleCall("/reset", { method: "POST", body: { email } }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    ask.mutate();
  };
  const back = (
    <p className="meta">
      <Link to="/sign-in" search={{}}>
        Back to the sign-in
      </Link>
    </p>
  );
  if (!features.reset_by_mail) {
    return (
      <SignedOutFrame title="A new password">
        <Note tone="blue">
          This installation mails no links. An admin of your account makes you one; the person who
          runs the server prints one with <code>longwave console-link --email you@example.com</code>
          .
        </Note>
        {back}
      </SignedOutFrame>
    );
  }
  if (ask.isSuccess) {
    return (
      <SignedOutFrame title="Check your mail">
        <div role="status">
          <Note tone="green">
            If somebody signs in as <b className="wrap-anywhere">{email}</b>, a link is on its way.
            It works once, for fifteen minutes.
          </Note>
        </div>
        {back}
      </SignedOutFrame>
    );
  }
  return (
    <SignedOutFrame title="A new password" about="We mail you a link to choose one.">
      <form className="stack" onSubmit={submit}>
        <TextField
          label="Email"
          type="email"
          required
          autoFocus
          autoComplete="username"
          value={email}
          error={errorAt(ask.error, "email")}
          onChange={(event) => setEmail(event.target.value)}
        />
        {errorBeside(ask.error, ["email"]) !== null && <ErrorBox plain error={ask.error} />}
        <Button type="submit" kind="primary" busy={ask.isPending}>
          Mail me a link
        </Button>
      </form>
      {back}
    </SignedOutFrame>
  );
}
