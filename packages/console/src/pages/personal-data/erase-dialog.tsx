import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useAccount } from "../../api/account.tsx";
import { useAct } from "../../api/queries.ts";
import { FormDialog } from "../../ui/dialog.tsx";
import { CheckField, errorAt, errorBeside, TextField } from "../../ui/field.tsx";
import { formatPhone } from "../../ui/format.ts";
import { ErrorBox } from "../../ui/problem.tsx";

/** Asks before a number is erased, because nothing brings it back. */
export function EraseDialog(props: { phone: string; onClose: () => void }) {
  const { phone } = props;
  const { base } = useAccount();
  const navigate = useNavigate();
  const [note, setNote] = useState("");
  const [isSure, setIsSure] = useState(false);
  const erase = useAct(
    (_: undefined, { api, idempotencyKey }) =>
      api.erasures.create({ phone_number: phone, note: note || null }, { idempotencyKey }),
    {
      stale: ["erasures", "contacts", "consent"],
      onDone: ({ id }) => void navigate({ to: `${base}/personal-data/${id}`, search: {} } as never),
    },
  );
  const refused = errorAt(erase.error, "phone_number");
  return (
    <FormDialog
      title={`Erase ${formatPhone(phone)}?`}
      isOpen
      danger
      onClose={props.onClose}
      onSubmit={() => erase.mutate(undefined)}
      submit="Erase the number"
      busy={erase.isPending}
      disabled={!isSure}
      error={refused === null ? errorBeside(erase.error, ["note"]) : null}
    >
      <p className="muted">
        The number is opted out and its contact deleted at once. Within minutes messages, events,
        conversations and everything else lose it, in both modes. A keyed hash keeps the opt-out.
      </p>
      <TextField
        label="Note"
        optional
        help="Why, such as the date of the request. Name nobody in it."
        value={note}
        error={errorAt(erase.error, "note")}
        onChange={(event) => setNote(event.target.value)}
      />
      <CheckField
        label="I have what must be kept, and know that this cannot be undone"
        checked={isSure}
        onChange={setIsSure}
      />
      {refused !== null && <ErrorBox error={erase.error} />}
    </FormDialog>
  );
}
