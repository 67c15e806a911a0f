import { VERIFIED_NUMBERS_MAX } from "@longwave/contract/tables";
import type { VerifiedNumber } from "@longwave/sdk";
import { useState } from "react";
import { useHasRole } from "../../api/account.tsx";
import { useAct, useRead } from "../../api/queries.ts";
import { Button } from "../../ui/button.tsx";
import { Confirm, FormDialog } from "../../ui/dialog.tsx";
import { errorAt, errorBeside, TextField } from "../../ui/field.tsx";
import { formatPhone } from "../../ui/format.ts";
import { Card } from "../../ui/page.tsx";
import { Note } from "../../ui/problem.tsx";
import { Status } from "../../ui/status.tsx";
import { Time } from "../../ui/values.tsx";

const STALE = ["verified-numbers"];

/** Verified numbers of the account: they receive real messages, even from the sandbox. */
export function VerifiedNumbersCard() {
  const mayChange = useHasRole("admin");
  const phones = useRead(
    STALE,
    (api, signal) => api.verifiedNumbers.list({ limit: VERIFIED_NUMBERS_MAX }, { signal }),
    { enabled: mayChange },
  );
  const [isAdding, setIsAdding] = useState(false);
  const [confirming, setConfirming] = useState<VerifiedNumber | null>(null);
  const [removing, setRemoving] = useState<VerifiedNumber | null>(null);
  const remove = useAct((phone: string, { api }) => api.verifiedNumbers.delete(phone), {
    stale: STALE,
    onDone: () => setRemoving(null),
  });
  if (!mayChange) return null;
  const rows = phones.data?.data ?? [];
  return (
    <Card
      title="Verified test phones"
      flush
      aside={
        <Button
          size="small"
          icon="plus"
          disabled={rows.length >= VERIFIED_NUMBERS_MAX}
          onClick={() => setIsAdding(true)}
        >
          Add a phone
        </Button>
      }
      foot={
        <span>
          {rows.length} of {VERIFIED_NUMBERS_MAX}. They are texted for real, from the sandbox too.
        </span>
      }
    >
      {rows.length === 0 ? (
        <p className="card-body muted">None yet. Add yours, and your tests arrive on it.</p>
      ) : (
        <ul>
          {rows.map((row) => (
            <li key={row.phone_number} className="alarm">
              <span className="strong">{formatPhone(row.phone_number)}</span>
              <span className="grow">
                <Status machine="own_phone" state={row.status} />
              </span>
              <span className="meta only-wide">
                <Time at={row.verified_at ?? row.created_at} />
              </span>
              {row.status === "pending" && (
                <Button size="small" onClick={() => setConfirming(row)}>
                  Enter the code
                </Button>
              )}
              <Button
                size="small"
                kind="ghost"
                icon="x"
                aria-label={`Remove ${formatPhone(row.phone_number)}`}
                onClick={() => setRemoving(row)}
              />
            </li>
          ))}
        </ul>
      )}
      {isAdding && (
        <AddDialog
          onClose={() => setIsAdding(false)}
          onSent={(made) => {
            setIsAdding(false);
            setConfirming(made);
          }}
        />
      )}
      <Confirm
        title={`Remove ${formatPhone(removing?.phone_number ?? "")}?`}
        isOpen={removing !== null}
        onClose={() => setRemoving(null)}
        onConfirm={() => removing && remove.mutate(removing.phone_number)}
        action="Remove the phone"
        busy={remove.isPending}
        error={remove.error}
      >
        Messages from the sandbox no longer reach it. Adding it again takes a new code.
      </Confirm>
      {confirming && <ConfirmDialog phone={confirming} onClose={() => setConfirming(null)} />}
    </Card>
  );
}

function AddDialog(props: { onClose: () => void; onSent: (made: VerifiedNumber) => void }) {
  const [phone, setPhone] = useState("");
  const add = useAct(
    (_: undefined, { api, idempotencyKey }) =>
      api.verifiedNumbers.create({ phone_number: phone }, { idempotencyKey }),
    { stale: STALE, onDone: props.onSent },
  );
  return (
    <FormDialog
      title="Add a phone of yours"
      isOpen
      onClose={props.onClose}
      onSubmit={() => add.mutate(undefined)}
      submit="Text it a code"
      busy={add.isPending}
      error={errorBeside(add.error, ["phone_number"])}
    >
      <TextField
        label="Phone"
        required
        inputMode="tel"
        value={phone}
        error={errorAt(add.error, "phone_number")}
        onChange={(event) => setPhone(event.target.value)}
      />
    </FormDialog>
  );
}

function ConfirmDialog(props: { phone: VerifiedNumber; onClose: () => void }) {
  const { phone } = props;
  const [code, setCode] = useState("");
  const confirm = useAct(
    (_: undefined, { api, idempotencyKey }) =>
      api.verifiedNumbers.confirm({ phone_number: phone.phone_number, code }, { idempotencyKey }),
    { stale: STALE, onDone: props.onClose },
  );
  return (
    <FormDialog
      title={`The code for ${formatPhone(phone.phone_number)}`}
      isOpen
      onClose={props.onClose}
      onSubmit={() => confirm.mutate(undefined)}
      submit="Confirm"
      busy={confirm.isPending}
      error={errorBeside(confirm.error, ["code"])}
    >
      {phone.test_code !== undefined && (
        <Note tone="orange">
          No carrier is connected to the sandbox, so the code is shown here:{" "}
          <b>{phone.test_code}</b>
        </Note>
      )}
      <TextField
        label="Code"
        required
        inputMode="numeric"
        autoComplete="one-time-code"
        help="It works for ten minutes; five tries."
        value={code}
        error={errorAt(confirm.error, "code")}
        onChange={(event) => setCode(event.target.value)}
      />
    </FormDialog>
  );
}
