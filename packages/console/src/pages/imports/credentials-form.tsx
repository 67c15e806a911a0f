import { type FormEvent, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { errorAt, errorBeside, Segmented, TextField } from "../../ui/field.tsx";
import { Card } from "../../ui/page.tsx";
import { ErrorBox } from "../../ui/problem.tsx";
import type { AccountImport, ImportsCreateBody } from "./calls.ts";
import { PROVIDERS, providerTitle } from "./words.ts";

/** Provider and credentials of an import. */
export type Login = Omit<ImportsCreateBody, "dry_run">;

const SHOWN_PARAMS = ["account_sid", "key_sid", "secret"];

/** Form for the provider and its credentials. Only this page's memory holds them. */
export function CredentialsForm(props: {
  isPreview: boolean;
  provider?: AccountImport["provider"];
  login?: Login | null;
  isBusy: boolean;
  error: unknown;
  onLogin: (login: Login) => void;
}) {
  const { login = null } = props;
  const [provider, setProvider] = useState(props.provider ?? "twilio");
  const [accountSid, setAccountSid] = useState("");
  const [keySid, setKeySid] = useState("");
  const [secret, setSecret] = useState("");
  const action = props.isPreview ? "Preview the import" : "Run the import";
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (login !== null) return props.onLogin(login);
    const ids = { account_sid: accountSid.trim(), ...(keySid ? { key_sid: keySid.trim() } : {}) };
    props.onLogin({ provider, secret: secret.trim(), ...(provider === "twilio" ? ids : {}) });
  };
  return (
    <Card
      title={login === null ? `Your account at ${providerTitle(provider)}` : "Run import"}
      foot="The credentials are used for this run. They are neither stored nor logged, and a reload of the page forgets them."
    >
      <form className="stack" onSubmit={submit} autoComplete="off">
        {login !== null ? (
          <p className="muted">
            Numbers become port requests, which the operator moves on. What is here already is left
            alone, so this can be run again at any time.
          </p>
        ) : (
          <>
            {props.provider === undefined && (
              <Segmented
                label="Provider"
                value={provider}
                choices={PROVIDERS}
                onChange={setProvider}
              />
            )}
            {provider === "twilio" && (
              <>
                <TextField
                  label="Account SID"
                  required
                  placeholder="AC…"
                  value={accountSid}
                  error={errorAt(props.error, "account_sid")}
                  onChange={(event) => setAccountSid(event.target.value)}
                />
                <TextField
                  label="API key SID"
                  optional
                  placeholder="SK…"
                  help="With an API key, its secret is asked for below; without one, the auth token."
                  value={keySid}
                  error={errorAt(props.error, "key_sid")}
                  onChange={(event) => setKeySid(event.target.value)}
                />
              </>
            )}
            <TextField
              label={secretLabel(provider, keySid !== "")}
              required
              type="password"
              autoComplete="off"
              value={secret}
              error={errorAt(props.error, "secret")}
              onChange={(event) => setSecret(event.target.value)}
            />
          </>
        )}
        {errorBeside(props.error, SHOWN_PARAMS) ? <ErrorBox error={props.error} /> : null}
        <div className="row">
          <Button kind="primary" type="submit" busy={props.isBusy}>
            {action}
          </Button>
        </div>
      </form>
    </Card>
  );
}

function secretLabel(provider: AccountImport["provider"], hasKey: boolean): string {
  if (provider === "telnyx") return "API key";
  return hasKey ? "Secret of the API key" : "Auth token";
}
