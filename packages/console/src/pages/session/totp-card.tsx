import { useMutation, useQueryClient } from "@tanstack/react-query";
import { generate } from "lean-qr";
import { type FormEvent, useState } from "react";
import { consoleCall } from "../../api/client.ts";
import { sessionQuery } from "../../api/session.ts";
import type { SessionUser, TotpSetup } from "../../api/session-types.ts";
import { Button } from "../../ui/button.tsx";
import { Copy } from "../../ui/copy.tsx";
import { Confirm, Dialog } from "../../ui/dialog.tsx";
import { errorAt, errorBeside, TextField } from "../../ui/field.tsx";
import { Card } from "../../ui/page.tsx";
import { ErrorBox, Note } from "../../ui/problem.tsx";
import { Badge } from "../../ui/status.tsx";
import { toast } from "../../ui/toast.tsx";
import { RecoveryCodes } from "./recovery-codes.tsx";

/** Second factor: an authenticator app, with recovery codes for a lost phone. */
export function TotpCard({ user }: { user: SessionUser }) {
  const isOn = user.totp_enabled;
  const isRequired = user.second_factor_required && !user.passkeys_enabled;
  const client = useQueryClient();
  const [asked, setAsked] = useState<"codes" | "off" | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const refresh = () => void client.invalidateQueries({ queryKey: sessionQuery.queryKey });
  const begin = useMutation({
    mutationFn: () => consoleCall<TotpSetup>("/me/totp", { method: "POST" }),
  });
  const renew = useMutation({
    mutationFn: () =>
      consoleCall<{ recovery_codes: string[] }>("/me/recovery-codes", { method: "POST" }),
    onSuccess: (answer) => {
      setAsked(null);
      setCodes(answer.recovery_codes);
    },
  });
  const off = useMutation({
    mutationFn: () => consoleCall("/me/totp", { method: "DELETE" }),
    onSuccess: () => {
      setAsked(null);
      toast("The authenticator app is off.");
      refresh();
    },
  });
  return (
    <Card
      title="Authenticator app"
      aside={
        isOn ? (
          <Badge tone="green" icon="check" word="On" />
        ) : (
          <Badge tone="grey" icon="minus" word="Off" />
        )
      }
    >
      <div className="stack">
        <p className="muted">
          A code from your phone beside the password. Someone who learns the password still cannot
          get in.
        </p>
        {isRequired && !isOn && (
          <Note tone="amber">
            This installation requires it of you. Set it up to open your accounts.
          </Note>
        )}
        {begin.error ? <ErrorBox error={begin.error} /> : null}
        {isOn ? (
          <div className="row">
            <Button onClick={() => setAsked("codes")}>New recovery codes</Button>
            {!isRequired && (
              <Button kind="danger" onClick={() => setAsked("off")}>
                Turn it off
              </Button>
            )}
          </div>
        ) : (
          <div className="row">
            <Button kind="primary" busy={begin.isPending} onClick={() => begin.mutate()}>
              Set it up
            </Button>
          </div>
        )}
      </div>
      <Confirm
        title="Make new recovery codes?"
        isOpen={asked === "codes"}
        onClose={() => setAsked(null)}
        onConfirm={() => renew.mutate()}
        action="Make new codes"
        busy={renew.isPending}
        error={renew.error}
      >
        The codes that you saved before stop working.
      </Confirm>
      <Confirm
        title="Turn the authenticator app off?"
        isOpen={asked === "off"}
        onClose={() => setAsked(null)}
        onConfirm={() => off.mutate()}
        action="Turn off the app"
        busy={off.isPending}
        error={off.error}
      >
        Signing in no longer asks for its code. Your other sessions are ended.
      </Confirm>
      {begin.data && codes === null && !isOn && (
        <SetupDialog
          setup={begin.data}
          onClose={() => begin.reset()}
          onDone={(made) => {
            setCodes(made);
            begin.reset();
          }}
        />
      )}
      <RecoveryCodes
        codes={codes}
        onClose={() => {
          setCodes(null);
          refresh();
        }}
      />
    </Card>
  );
}

function SetupDialog(props: {
  setup: TotpSetup;
  onClose: () => void;
  onDone: (codes: readonly string[]) => void;
}) {
  const { setup } = props;
  const [code, setCode] = useState("");
  const confirm = useMutation({
    mutationFn: () =>
      consoleCall<{ recovery_codes: string[] }>("/me/totp/confirm", {
        method: "POST",
        body: { setup: setup.setup, code },
      }),
    onSuccess: (answer) => props.onDone(answer.recovery_codes),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    confirm.mutate();
  };
  return (
    <Dialog title="Set up your authenticator app" isOpen onClose={props.onClose}>
      <form className="dialog-body stack" onSubmit={submit}>
        <p className="muted">Scan this with the app, or type the secret into it.</p>
        <Qr text={setup.uri} />
        <Copy text={setup.secret}>
          <code>{setup.secret}</code>
        </Copy>
        <TextField
          label="Code that the app shows"
          required
          inputMode="numeric"
          autoComplete="one-time-code"
          value={code}
          error={errorAt(confirm.error, "code")}
          onChange={(event) => setCode(event.target.value)}
        />
        {errorBeside(confirm.error, ["code"]) !== null && <ErrorBox error={confirm.error} />}
        <Button type="submit" kind="primary" busy={confirm.isPending}>
          Turn it on
        </Button>
      </form>
    </Dialog>
  );
}

const QUIET_MODULES = 4;

/** One path of dark squares on white in both themes: many cameras read no inverted QR code. */
function Qr(props: { text: string }) {
  const code = generate(props.text);
  const size = code.size + 2 * QUIET_MODULES;
  let path = "";
  for (let y = 0; y < code.size; y += 1) {
    for (let x = 0; x < code.size; x += 1) {
      if (code.get(x, y)) path += `M${x + QUIET_MODULES} ${y + QUIET_MODULES}h1v1h-1z`;
    }
  }
  return (
    <svg
      viewBox={`0 0 ${size} ${size}`}
      width={200}
      height={200}
      role="img"
      aria-label="The secret as a picture for the app to scan"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
