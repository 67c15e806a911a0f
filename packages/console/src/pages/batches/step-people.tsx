import { guessPhoneColumn, parsePeople } from "../../csv.ts";
import { Button } from "../../ui/button.tsx";
import { Segmented } from "../../ui/field.tsx";
import { FileDrop } from "../../ui/file-drop.tsx";
import { formatCount, plural } from "../../ui/format.ts";
import { Card } from "../../ui/page.tsx";
import { ContactsAudience } from "./contacts-audience.tsx";
import { type Audience, ROWS_MAX, type StepProps } from "./form.ts";

const AUDIENCES: readonly { value: Audience; label: string }[] = [
  { value: "file", label: "CSV file" },
  { value: "segment", label: "Segment" },
  { value: "tags", label: "Tags" },
];
/** Offered once the page Contacts has picked some. */
const PICKED = { value: "contacts", label: "Contacts" } as const;

export function PeopleStep(props: StepProps) {
  const { form, set } = props;
  const take = (bytes: ArrayBuffer, fileName: string): string | null => {
    const table = parsePeople(bytes, ROWS_MAX);
    if (typeof table === "string") return table;
    set({
      fileName,
      table,
      phoneColumn: guessPhoneColumn(table),
      name: form.name || fileName.replace(/\.csv$/i, ""),
    });
    props.next();
    return null;
  };
  return (
    <Card title="Recipients">
      <div className="stack">
        <Segmented
          label="Recipients from"
          value={form.audience}
          choices={form.contactIds.length > 0 ? [...AUDIENCES, PICKED] : AUDIENCES}
          onChange={(audience) => set({ audience })}
        />
        {form.audience !== "file" && <ContactsAudience {...props} />}
        {form.audience === "file" && (
          <FileDrop
            what="Choose a CSV file"
            accept=".csv,text/csv,text/plain"
            about={`One line per person, the first line names the columns. At most ${formatCount(ROWS_MAX)} people.`}
            onFile={async (file) => take(await file.arrayBuffer(), file.name)}
          />
        )}
        {form.audience === "file" && form.table && (
          <div className="row-apart">
            <span>
              {form.fileName}: {plural(form.table.rows.length, "person", "people")}
            </span>
            <Button kind="primary" onClick={props.next}>
              Continue
            </Button>
          </div>
        )}
      </div>
    </Card>
  );
}
