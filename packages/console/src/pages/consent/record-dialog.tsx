import { CONSENT_BASES } from "@longwave/contract/tables";
import type { ConsentRecordBody } from "@longwave/sdk";
import { useState } from "react";
import { useAct } from "../../api/queries.ts";
import { fromDatetimeField, zoneName } from "../../ui/datetime-field.ts";
import { FormDialog } from "../../ui/dialog.tsx";
import { AreaField, errorAt, errorBeside, SelectField, TextField } from "../../ui/field.tsx";
import { toast } from "../../ui/toast.tsx";
import { BASIS_WORDS, CONSENT_CHOICES } from "./words.ts";

type Body = ConsentRecordBody;
type Basis = NonNullable<Body["basis"]>;

const PARAMS = [
  "phone_number",
  "source",
  "note",
  "basis",
  "evidence.disclosure",
  "evidence.page_url",
  "evidence.ip",
  "evidence.user_agent",
  "evidence.form_version",
  "evidence.collected_at",
];

const EMPTY = {
  phone: "",
  status: "opted_out" as Body["status"],
  source: "",
  note: "",
  basis: "express" as Basis,
  disclosure: "",
  page: "",
  ip: "",
  browser: "",
  version: "",
  collected: "",
};
type Draft = typeof EMPTY;

/** The request; basis and evidence belong to an opt-in. */
function recordBody(draft: Draft): Body {
  const { phone, status, source, note } = draft;
  const given = Object.entries({
    disclosure: draft.disclosure,
    page_url: draft.page.trim(),
    ip: draft.ip.trim(),
    user_agent: draft.browser.trim(),
    form_version: draft.version.trim(),
    collected_at: draft.collected === "" ? "" : fromDatetimeField(draft.collected),
  }).filter(([, value]) => value !== "");
  return {
    ...{ phone_number: phone, status, source },
    ...(note === "" ? {} : { note }),
    ...(status === "opted_in" ? { basis: draft.basis } : {}),
    ...(given.length === 0 ? {} : { evidence: Object.fromEntries(given) }),
  };
}

/** Records a choice that somebody made elsewhere, with what proves it. */
export function RecordDialog(props: { onClose: () => void }) {
  const [draft, setDraft] = useState(EMPTY);
  const write = (changes: Partial<Draft>) => setDraft({ ...draft, ...changes });
  const record = useAct(
    (_: undefined, { api, idempotencyKey }) =>
      api.consent.record(recordBody(draft), { idempotencyKey }),
    {
      stale: ["consent"],
      onDone: () => {
        props.onClose();
        toast("Consent added.");
      },
    },
  );
  return (
    <FormDialog
      title="Add consent"
      isOpen
      onClose={props.onClose}
      onSubmit={() => record.mutate(undefined)}
      submit="Add consent"
      busy={record.isPending}
      error={errorBeside(record.error, PARAMS)}
    >
      <TextField
        label="Phone"
        required
        inputMode="tel"
        value={draft.phone}
        error={errorAt(record.error, "phone_number")}
        onChange={(event) => write({ phone: event.target.value })}
      />
      <SelectField
        label="State"
        value={draft.status}
        choices={CONSENT_CHOICES}
        onChange={(event) => write({ status: event.target.value as Body["status"] })}
      />
      {draft.status === "opted_in" && (
        <SelectField
          label="Basis"
          help="Implied consent ends 6 months after an inquiry and 24 months after a purchase."
          value={draft.basis}
          choices={CONSENT_BASES.map((value) => ({ value, label: BASIS_WORDS[value] }))}
          error={errorAt(record.error, "basis")}
          onChange={(event) => write({ basis: event.target.value as Basis })}
        />
      )}
      <TextField
        label="Source"
        required
        placeholder="Web form, call, signed contract"
        value={draft.source}
        error={errorAt(record.error, "source")}
        onChange={(event) => write({ source: event.target.value })}
      />
      <AreaField
        label="Note"
        optional
        rows={2}
        value={draft.note}
        error={errorAt(record.error, "note")}
        onChange={(event) => write({ note: event.target.value })}
      />
      <details>
        <summary className="field-label">Evidence</summary>
        <EvidenceFields draft={draft} write={write} error={record.error} />
      </details>
    </FormDialog>
  );
}

function EvidenceFields(props: {
  draft: Draft;
  write: (changes: Partial<Draft>) => void;
  error: unknown;
}) {
  const { draft, write, error } = props;
  return (
    <div className="stack">
      <AreaField
        label="Words shown"
        optional
        rows={2}
        help="Wording that the person agreed to, letter by letter."
        value={draft.disclosure}
        error={errorAt(error, "evidence.disclosure")}
        onChange={(event) => write({ disclosure: event.target.value })}
      />
      <TextField
        label="Page"
        optional
        type="url"
        placeholder="https://www.example.com/offers"
        value={draft.page}
        error={errorAt(error, "evidence.page_url")}
        onChange={(event) => write({ page: event.target.value })}
      />
      <TextField
        label="Given at"
        optional
        type="datetime-local"
        help={`In ${zoneName()}. Implied consent counts from this time.`}
        value={draft.collected}
        error={errorAt(error, "evidence.collected_at")}
        onChange={(event) => write({ collected: event.target.value })}
      />
      <div className="row">
        <TextField
          label="IP address"
          optional
          value={draft.ip}
          error={errorAt(error, "evidence.ip")}
          onChange={(event) => write({ ip: event.target.value })}
        />
        <TextField
          label="Form version"
          optional
          value={draft.version}
          error={errorAt(error, "evidence.form_version")}
          onChange={(event) => write({ version: event.target.value })}
        />
      </div>
      <TextField
        label="Browser"
        optional
        help="User-Agent of the person's browser."
        value={draft.browser}
        error={errorAt(error, "evidence.user_agent")}
        onChange={(event) => write({ browser: event.target.value })}
      />
    </div>
  );
}
