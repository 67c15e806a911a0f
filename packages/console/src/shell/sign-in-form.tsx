import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { consoleCall } from "../api/client.ts";
import { hasPasskeys, signInByPasskey } from "../api/passkeys.ts";
import type { SignInAnswer } from "../api/session-types.ts";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import { PasswordField } from "../ui/password-field.tsx";
import { ErrorBox } from "../ui/problem.tsx";

/**
 * Email and password, plus a code with a second factor; or a passkey alone. With `confirms` the
 * person is signed in already and enters the password alone.
 */
export function SignInForm(props: { onDone: () => void; email?: string; confirms?: string }) {
  const { confirms } = props;
  const [email, setEmail] = useState(props.email ?? "");
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const signIn = useMutation({
    mutationFn: () =>
      consoleCall<SignInAnswer>(confirms === undefined ? "/sign-in" : "/session/confirm", {
        method: "POST",
        body: {
          password,
          ...(confirms === undefined ? { email } : {}),
          ...(code === "" ? {} : { code }),
        },
      }),
    onSuccess: (answer) => {
      if (!answer.code_required) props.onDone();
    },
  });
  const byPasskey = useMutation({
    mutationFn: () =>
      signInByPasskey(confirms === undefined ? "/passkeys/sign-in" : "/session/confirm/passkey"),
    onSuccess: props.onDone,
  });
  const needsCode = signIn.data?.code_required === true || code !== "";
  const submit = (event: FormEvent) => {
    event.preventDefault();
    signIn.mutate();
  };
  return (
    <form className="stack" onSubmit={submit}>
      <TextField
        label="Email"
        type="email"
        required
        autoComplete="username"
        disabled={confirms !== undefined}
        value={confirms ?? email}
        onChange={(event) => setEmail(event.target.value)}
      />
      <PasswordField value={password} onChange={setPassword} />
      {needsCode && (
        <TextField
          label="Code"
          required
          autoFocus
          autoComplete="one-time-code"
          help={
            signIn.data?.passkeys
              ? "Use your passkey below, or type a code of your authenticator app or a recovery code."
              : "Six digits from your authenticator app, or a recovery code."
          }
          value={code}
          onChange={(event) => setCode(event.target.value)}
        />
      )}
      {signIn.error || byPasskey.error ? (
        <ErrorBox plain error={signIn.error ?? byPasskey.error} />
      ) : null}
      <Button type="submit" kind="primary" busy={signIn.isPending}>
        {confirms === undefined ? "Sign in" : "Confirm"}
      </Button>
      {hasPasskeys() && (
        <Button icon="key" busy={byPasskey.isPending} onClick={() => byPasskey.mutate()}>
          {confirms === undefined ? "Sign in with a passkey" : "Confirm with a passkey"}
        </Button>
      )}
    </form>
  );
}
