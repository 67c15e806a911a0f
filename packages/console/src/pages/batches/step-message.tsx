import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { AreaField, CheckField, TextField } from "../../ui/field.tsx";
import { formatCount } from "../../ui/format.ts";
import { Card } from "../../ui/page.tsx";
import { Note } from "../../ui/problem.tsx";
import { SegmentMeter } from "../messages/segment-meter.tsx";
import { SenderField } from "../numbers/sender-field.tsx";
import { PhoneScreen } from "../phone/phone-screen.tsx";
import { mergedRow, type StepProps, unknownVariables, variablesOf } from "./draft.ts";

export function MessageStep(props: StepProps) {
  const { draft, set } = props;
  const unknown = unknownVariables(draft);
  const isWhole = draft.from !== "" && draft.body.trim() !== "";
  return (
    <div className="columns">
      <Card title="The message">
        <div className="stack">
          <TextField
            label="Name"
            optional
            help="For yourself; nobody who gets the text sees it."
            maxLength={80}
            value={draft.name}
            onChange={(event) => set({ name: event.target.value })}
          />
          <SenderField numbersOnly value={draft.from} onChange={(from) => set({ from })} />
          <AreaField
            label="Text"
            required
            rows={5}
            value={draft.body}
            onChange={(event) => set({ body: event.target.value })}
          />
          <div className="row">
            {variablesOf(draft).map((name) => (
              <Button
                key={name}
                size="small"
                icon="plus"
                onClick={() => set({ body: `${draft.body}{{${name}}}` })}
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
          <SegmentMeter body={draft.body} />
          <TextField
            label="Send at"
            optional
            type="datetime-local"
            value={draft.at}
            help={`In your time zone, ${Intl.DateTimeFormat().resolvedOptions().timeZone}. Empty sends it now.`}
            onChange={(event) => set({ at: event.target.value })}
          />
          <CheckField
            label="Leave out landlines"
            help="Looks at the first 500 different numbers."
            checked={draft.checkLineTypes}
            onChange={(checkLineTypes) => set({ checkLineTypes })}
          />
          <div className="row">
            <Button kind="primary" disabled={!isWhole} onClick={props.next}>
              Check it
            </Button>
          </div>
        </div>
      </Card>
      <RowPreview {...props} />
    </div>
  );
}

/** What each person would read, row by row. */
function RowPreview(props: StepProps) {
  const { draft } = props;
  const [at, setAt] = useState(0);
  const rows = draft.table?.rows ?? [];
  const row = rows[at];
  if (!row) return null;
  const merged = mergedRow(draft, row);
  const step = (by: number) => setAt((at + by + rows.length) % rows.length);
  return (
    <div className="stack">
      <PhoneScreen
        title={draft.from || "Your number"}
        about={`to ${row[draft.phoneColumn] ?? ""}`}
        bubbles={
          merged.ok && merged.text !== ""
            ? [{ key: String(at), side: "theirs", text: merged.text }]
            : []
        }
      />
      {!merged.ok && <Note tone="red">{merged.problem}</Note>}
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
