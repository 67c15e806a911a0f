import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { consoleCall } from "../../api/client.ts";
import { addPasskey, hasPasskeys } from "../../api/passkeys.ts";
import { sessionQuery } from "../../api/session.ts";
import type { Passkey, SessionUser } from "../../api/session-types.ts";
import { Button } from "../../ui/button.tsx";
import { Confirm, Dialog } from "../../ui/dialog.tsx";
import { errorAt, errorBeside, TextField } from "../../ui/field.tsx";
import { Card } from "../../ui/page.tsx";
import { ErrorBox, Note } from "../../ui/problem.tsx";
import { Badge } from "../../ui/status.tsx";
import { toast } from "../../ui/toast.tsx";
import { Time } from "../../ui/values.tsx";
import { RecoveryCodes } from "./recovery-codes.tsx";

const PASSKEYS = ["me", "passkeys"];

/** Passkeys of the person: each signs in alone, by a fingerprint, a face or a device's PIN. */
export function PasskeysCard({ user }: { user: SessionUser }) {
  const client = useQueryClient();
  const passkeys = useQuery({
    queryKey: PASSKEYS,
    queryFn: ({ signal }) => consoleCall<{ data: Passkey[] }>("/me/passkeys", { signal }),
  });
  const [isAdding, setIsAdding] = useState(false);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const refresh = () => {
    void client.invalidateQueries({ queryKey: PASSKEYS });
    void client.invalidateQueries({ queryKey: ["me", "sessions"] });
    void client.invalidateQueries({ queryKey: sessionQuery.queryKey });
  };
  const rows = passkeys.data?.data ?? [];
  const isNeeded = user.second_factor_required && !user.totp_enabled && !user.passkeys_enabled;
  return (
    <Card
      title="Passkeys"
      aside={
        rows.length > 0 ? (
          <Badge tone="green" icon="check" word="On" />
        ) : (
          <Badge tone="grey" icon="minus" word="Off" />
        )
      }
    >
      <div className="stack">
        <p className="muted">
          Sign in with a fingerprint, a face or your device's PIN. A passkey works on this site
          alone and needs no password.
        </p>
        {isNeeded && (
          <Note tone="amber">
            This installation requires a passkey or an authenticator app. Set one up to open your
            accounts.
          </Note>
        )}
        {rows.length > 0 && (
          <ul aria-label="Your passkeys">
            {rows.map((row) => (
              <PasskeyRow key={row.id} passkey={row} onRemoved={refresh} />
            ))}
          </ul>
        )}
        {hasPasskeys() ? (
          <div className="row">
            <Button icon="plus" onClick={() => setIsAdding(true)}>
              Add a passkey
            </Button>
          </div>
        ) : (
          <p className="meta">
            Browsers offer passkeys over https, under a host name. Open the console that way to add
            one.
          </p>
        )}
      </div>
      {isAdding && (
        <AddDialog
          onClose={() => setIsAdding(false)}
          onAdded={(made) => {
            setIsAdding(false);
            if (made === null) refresh();
            else setCodes(made);
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

function AddDialog(props: {
  onClose: () => void;
  onAdded: (codes: readonly string[] | null) => void;
}) {
  const [name, setName] = useState("");
  const add = useMutation({
    mutationFn: () => addPasskey(name),
    onSuccess: (added) => {
      toast(`${added.name} is added. Other sessions are ended.`);
      props.onAdded(added.recovery_codes);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    add.mutate();
  };
  return (
    <Dialog title="Add a passkey" isOpen onClose={props.onClose}>
      <form className="dialog-body stack" onSubmit={submit}>
        <TextField
          label="Name"
          required
          maxLength={60}
          placeholder="Work laptop"
          help="For yourself, to tell your devices apart."
          value={name}
          error={errorAt(add.error, "name")}
          onChange={(event) => setName(event.target.value)}
        />
        {errorBeside(add.error, ["name"]) !== null && <ErrorBox error={add.error} />}
        <Button type="submit" kind="primary" busy={add.isPending}>
          Continue
        </Button>
      </form>
    </Dialog>
  );
}

function PasskeyRow(props: { passkey: Passkey; onRemoved: () => void }) {
  const { passkey } = props;
  const [isAsking, setIsAsking] = useState(false);
  const remove = useMutation({
    mutationFn: () => consoleCall(`/me/passkeys/${passkey.id}`, { method: "DELETE" }),
    onSuccess: () => {
      setIsAsking(false);
      toast(`${passkey.name} is removed. Other sessions are ended.`);
      props.onRemoved();
    },
  });
  return (
    <li className="row-apart">
      <span>
        <span className="strong">{passkey.name}</span>{" "}
        <span className="meta">
          added <Time at={passkey.created_at} />
          {passkey.used_at !== null && (
            <>
              , used <Time at={passkey.used_at} />
            </>
          )}
        </span>
      </span>
      <Button size="small" aria-label={`Remove ${passkey.name}`} onClick={() => setIsAsking(true)}>
        Remove
      </Button>
      <Confirm
        title={`Remove ${passkey.name}?`}
        isOpen={isAsking}
        onClose={() => setIsAsking(false)}
        onConfirm={() => remove.mutate()}
        action="Remove the passkey"
        busy={remove.isPending}
        error={remove.error}
      >
        It no longer signs you in. Your device keeps it until you delete it there.
      </Confirm>
    </li>
  );
}
