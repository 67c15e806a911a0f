import { useState } from "react";
import { useAccount } from "../../api/account.tsx";
import { IMPORT_ROWS_MAX, parseWholeCsv } from "../../csv.ts";
import { CsvNotes } from "../../csv-notes.tsx";
import { useDraft } from "../../draft.ts";
import { Button } from "../../ui/button.tsx";
import { SelectField } from "../../ui/field.tsx";
import { FileDrop } from "../../ui/file-drop.tsx";
import { formatCount, plural } from "../../ui/format.ts";
import { Card, Page } from "../../ui/page.tsx";
import { Note } from "../../ui/problem.tsx";
import { Steps } from "../../ui/steps.tsx";
import { TagsField } from "../../ui/tags.tsx";
import {
  COLUMN_USES,
  type ColumnUse,
  EMPTY_IMPORT,
  guessUses,
  type ImportForm,
} from "./import-form.ts";
import { ImportRun } from "./import-run.tsx";

const STEPS = ["File", "Columns", "Check and import"] as const;
const CELLS_SHOWN = 3;

/** Imports contacts from a file: a trial run first, then requests of 500 rows. */
export function ContactImportPage() {
  const { base, mode } = useAccount();
  const form = useDraft(`contacts.${mode}`, EMPTY_IMPORT);
  const [step, setStep] = useState(form.value.table ? 2 : 1);
  const { table } = form.value;
  const startOver = () => {
    form.clear();
    setStep(1);
  };
  return (
    <Page
      title="Import contacts"
      crumb={{ to: `${base}/contacts`, label: "Contacts" }}
      actions={table && <Button onClick={startOver}>Start over</Button>}
    >
      <div className="stack-wide">
        <Steps names={STEPS} step={step} reachable={table ? 3 : 1} onGo={setStep} />
        {step === 1 && <FileStep set={form.set} next={() => setStep(2)} />}
        {step === 2 && <ColumnsStep form={form.value} set={form.set} next={() => setStep(3)} />}
        {step === 3 && <ImportRun form={form.value} onFinished={form.clear} />}
      </div>
    </Page>
  );
}

function FileStep(props: { set: (change: Partial<ImportForm>) => void; next: () => void }) {
  const loadFile = (bytes: ArrayBuffer, fileName: string): string | null => {
    const table = parseWholeCsv(bytes, IMPORT_ROWS_MAX);
    if (typeof table === "string") return table;
    props.set({ fileName, table, uses: guessUses(table) });
    props.next();
    return null;
  };
  return (
    <Card title="Contacts">
      <FileDrop
        what="Choose a CSV file"
        accept=".csv,text/csv,text/plain"
        about={`One line per person, the first line names the columns. At most ${formatCount(IMPORT_ROWS_MAX)} people.`}
        onFile={async (file) => loadFile(await file.arrayBuffer(), file.name)}
      />
    </Card>
  );
}

function ColumnsStep(props: {
  form: ImportForm;
  set: (change: Partial<ImportForm>) => void;
  next: () => void;
}) {
  const { form, set } = props;
  if (!form.table) return null;
  const use = (at: number, value: ColumnUse) =>
    set({ uses: form.uses.map((each, index) => (index === at ? value : each)) });
  const hasPhone = form.uses.includes("phone_number");
  return (
    <Card
      title="Columns"
      foot={
        <span>
          {plural(form.table.rows.length, "person", "people")} in {form.fileName}
        </span>
      }
    >
      <div className="stack">
        <CsvNotes
          table={form.table}
          rowsMax={IMPORT_ROWS_MAX}
          onChange={(table) => set({ table, uses: guessUses(table) })}
        />
        <div className="import-columns">
          {form.table.columns.map((column, index) => (
            <SelectField
              // biome-ignore lint/suspicious/noArrayIndexKey: column names may repeat, positions do not
              key={index}
              label={column}
              value={form.uses[index]}
              choices={COLUMN_USES}
              help={samplesOf(form, index)}
              onChange={(event) => use(index, event.target.value as ColumnUse)}
            />
          ))}
        </div>
        <TagsField
          label="Tags for everyone in the file"
          tags={form.tags}
          onChange={(tags) => set({ tags })}
        />
        {!hasPhone && <Note tone="amber">One column must be the phone number.</Note>}
        <div className="row">
          <Button kind="primary" disabled={!hasPhone} onClick={props.next}>
            Preview
          </Button>
        </div>
      </div>
    </Card>
  );
}

function samplesOf(form: ImportForm, column: number): string {
  const cells = (form.table?.rows ?? []).map((row) => row[column]?.trim()).filter(Boolean);
  return cells.slice(0, CELLS_SHOWN).join(" · ") || "empty";
}
