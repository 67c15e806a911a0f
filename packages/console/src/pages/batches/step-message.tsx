import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { AreaField, CheckField, TextField } from "../../ui/field.tsx";
import { formatCount, formatPhone } from "../../ui/format.ts";
import { Card } from "../../ui/page.tsx";
import { Note } from "../../ui/problem.tsx";
import { SegmentMeter } from "../messages/segment-meter.tsx";
import { SenderField } from "../numbers/sender-field.tsx";
import { PhoneScreen } from "../phone/phone-screen.tsx";
import { useFirstPerson } from "./first-person.ts";
import {
  type MergedRow,
  mergedFor,
  mergedRow,
  type StepProps,
  unknownVariables,
  variablesOf,
} from "./form.ts";
import { TestSend } from "./test-send.tsx";

export function MessageStep(props: StepProps) {
  const { form, set } = props;
  const unknown = unknownVariables(form);
  const isWhole = form.from !== "" && form.body.trim() !== "";
  return (
    <div className="columns">
      <Card title="The message">
        <div className="stack">
          <TextField
            label="Name"
            optional
            help="For yourself; nobody who gets the text sees it."
            maxLength={80}
            value={form.name}
            onChange={(event) => set({ name: event.target.value })}
          />
          <SenderField numbersOnly value={form.from} onChange={(from) => set({ from })} />
          <AreaField
            label="Text"
            required
            rows={5}
            value={form.body}
            onChange={(event) => set({ body: event.target.value })}
          />
          <div className="row">
            {variablesOf(form).map((name) => (
              <Button
                key={name}
                size="small"
                icon="plus"
                onClick={() => set({ body: `${form.body}{{${name}}}` })}
              >
                {name}
              </Button>
            ))}
          </div>
          {unknown.length > 0 && (
            <Note tone="amber">
              No column is called {unknown.join(", ")}. Rename it, or give a fallback:{" "}
              {`{{${unknown[0]}|there}}`}.
            </Note>
          )}
          <SegmentMeter body={form.body} />
          <TextField
            label="Send at"
            optional
            type="datetime-local"
            value={form.at}
            help={`In your time zone, ${Intl.DateTimeFormat().resolvedOptions().timeZone}. Empty sends it now.`}
            onChange={(event) => set({ at: event.target.value })}
          />
          <CheckField
            label="Skip landlines"
            help="Looks at the first 500 different numbers."
            checked={form.checkLineTypes}
            onChange={(checkLineTypes) => set({ checkLineTypes })}
          />
          <TestSend {...props} />
          <div className="row">
            <Button kind="primary" disabled={!isWhole} onClick={props.next}>
              Review
            </Button>
          </div>
        </div>
      </Card>
      {form.audience === "file" ? <RowPreview {...props} /> : <ContactPreview {...props} />}
    </div>
  );
}

/** Preview of the first contact's message. */
function ContactPreview(props: StepProps) {
  const { form } = props;
  const person = useFirstPerson(form);
  if (!person) return null;
  return (
    <div className="stack">
      <MessagePreview
        from={form.from}
        to={person.name ?? formatPhone(person.to)}
        merged={mergedFor(form, person)}
      />
    </div>
  );
}

function MessagePreview(props: { from: string; to: string; merged: MergedRow }) {
  const { merged } = props;
  return (
    <>
      <PhoneScreen
        title={props.from || "Your number"}
        about={`to ${props.to}`}
        bubbles={
          merged.ok && merged.text !== ""
            ? [{ key: props.to, side: "theirs", text: merged.text }]
            : []
        }
      />
      {!merged.ok && <Note tone="red">{merged.problem}</Note>}
    </>
  );
}

/** Preview of each recipient's message, row by row. */
function RowPreview(props: StepProps) {
  const { form } = props;
  const [at, setAt] = useState(0);
  const rows = form.table?.rows ?? [];
  const row = rows[at];
  if (!row) return null;
  const step = (by: number) => setAt((at + by + rows.length) % rows.length);
  return (
    <div className="stack">
      <MessagePreview
        from={form.from}
        to={row[form.phoneColumn] ?? ""}
        merged={mergedRow(form, row)}
      />
      <div className="row" style={{ justifyContent: "center" }}>
        <Button size="small" onClick={() => step(-1)} aria-label="Previous person">
          Previous
        </Button>
        <span className="meta tabular">
          {formatCount(at + 1)} / {formatCount(rows.length)}
        </span>
        <Button size="small" onClick={() => step(1)} aria-label="Next person">
          Next
        </Button>
      </div>
    </div>
  );
}
