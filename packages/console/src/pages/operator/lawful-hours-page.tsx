import { ApiError, type QuietLawTable } from "@longwave/sdk";
import { useState } from "react";
import { useAct, useRead } from "../../api/queries.ts";
import { Loaded } from "../../lists/loaded.tsx";
import { Button } from "../../ui/button.tsx";
import { FormDialog } from "../../ui/dialog.tsx";
import { AreaField, errorAt, TextField } from "../../ui/field.tsx";
import { formatCount, plural } from "../../ui/format.ts";
import { Page } from "../../ui/page.tsx";
import { Table, type TableColumn } from "../../ui/table.tsx";
import { toast } from "../../ui/toast.tsx";
import { readHours, writeHours } from "./lawful-hours.ts";
import { downloadHours, LawfulHoursEditions } from "./lawful-hours-editions.tsx";

type Hours = QuietLawTable["hours"][number];

const WEEK_DAYS = 7;

/** `sun` as a table shows it. */
const dayWord = (day: string) => day.charAt(0).toUpperCase() + day.slice(1);

const COLUMNS: readonly TableColumn<Hours>[] = [
  { name: "Region", cell: (row) => <span className="strong">{row.region}</span> },
  {
    name: "Days",
    cell: (row) => (row.days.length === WEEK_DAYS ? "Every day" : row.days.map(dayWord).join(", ")),
  },
  {
    name: "Allowed",
    cell: (row) => (row.from === row.until ? "Never" : `${row.from} to ${row.until}`),
  },
  { name: "Source", cell: (row) => <span className="muted">{row.source}</span> },
];

/** Hours in which the law allows marketing, by state and weekday. */
export function LawfulHoursPage() {
  const table = useRead(["op-quiet-law"], (api, signal) => api.operator.quietLaws.get({ signal }));
  const [isEditing, setIsEditing] = useState(false);
  const { data } = table;
  return (
    <Page
      title="Lawful hours"
      about="When the law lets a marketing text arrive, on the recipient's clock. Accounts turn it on with their quiet hours."
      actions={
        data && (
          <>
            <Button icon="download" onClick={() => downloadHours(data)}>
              Download
            </Button>
            <Button kind="primary" onClick={() => setIsEditing(true)}>
              Set an edition
            </Button>
          </>
        )
      }
    >
      <Loaded query={table}>
        {(law) => (
          <div className="stack">
            <p className="muted">
              Edition <span className="strong">{law.edition}</span>,{" "}
              {plural(law.hours.length, "row")}. A state's row replaces that of the US on its days.
              Have counsel read the table: several of the built-in rows follow secondary sources,
              and say so.
            </p>
            <Table
              label="Lawful hours"
              columns={COLUMNS}
              rows={law.hours}
              keyOf={(row, index) => `${row.region} ${index}`}
            />
            <LawfulHoursEditions />
          </div>
        )}
      </Loaded>
      {isEditing && data && <EditionDialog law={data} onClose={() => setIsEditing(false)} />}
    </Page>
  );
}

/** Row of the error: `hours[3].until` is the fourth row after the header. */
function wrongRow(error: unknown): string | null {
  if (!(error instanceof ApiError)) return null;
  const [, index] = /^hours\[(\d+)\]/.exec(error.param ?? "") ?? [];
  return index === undefined ? null : `Row ${formatCount(Number(index) + 1)}: ${error.message}`;
}

function EditionDialog(props: { law: QuietLawTable; onClose: () => void }) {
  const [edition, setEdition] = useState("");
  const [text, setText] = useState(() => writeHours(props.law));
  const hours = readHours(text);
  const save = useAct(
    (_: undefined, { api, idempotencyKey }) =>
      api.operator.quietLaws.create({ edition, hours }, { idempotencyKey }),
    {
      stale: ["op-quiet-law"],
      onDone: (law) => {
        props.onClose();
        toast(`Edition ${law.edition} holds from now on.`);
      },
    },
  );
  const wrong = wrongRow(save.error);
  const isShown = wrong !== null || errorAt(save.error, "edition") !== null;
  return (
    <FormDialog
      title="Set an edition"
      isOpen
      onClose={props.onClose}
      onSubmit={() => save.mutate(undefined)}
      submit={`Set ${plural(hours.length, "row")}`}
      busy={save.isPending}
      disabled={hours.length === 0}
      error={isShown ? null : save.error}
    >
      <TextField
        label="Edition"
        required
        placeholder="2027-01"
        help={`Replaces ${props.law.edition} as a whole, at once. Older editions stay stored.`}
        value={edition}
        error={errorAt(save.error, "edition")}
        onChange={(event) => setEdition(event.target.value)}
      />
      <AreaField
        label="CSV"
        rows={14}
        className="textarea mono"
        help="Columns: region (US or a state), days (sun to sat, separated by spaces), from, until, source. Equal times allow nothing on that day."
        value={text}
        error={wrong}
        onChange={(event) => {
          save.reset();
          setText(event.target.value);
        }}
      />
    </FormDialog>
  );
}
