import { guessPhoneColumn, variableName } from "../../csv.ts";
import { CsvNotes } from "../../csv-notes.tsx";
import { Button } from "../../ui/button.tsx";
import { SelectField } from "../../ui/field.tsx";
import { plural } from "../../ui/format.ts";
import { Card } from "../../ui/page.tsx";
import { Note } from "../../ui/problem.tsx";
import { ROWS_MAX, type StepProps } from "./form.ts";

const ROWS_SHOWN = 5;

export function ColumnsStep(props: StepProps) {
  const { form, set } = props;
  const { table } = form;
  if (!table) return null;
  return (
    <Card
      title="Columns"
      foot={
        <span>
          {plural(table.rows.length, "person", "people")} in {form.fileName}
        </span>
      }
    >
      <div className="stack">
        <CsvNotes
          table={table}
          rowsMax={ROWS_MAX}
          onChange={(read) => set({ table: read, phoneColumn: guessPhoneColumn(read) })}
        />
        {table.rowsOverLimit > 0 && (
          <Note tone="amber">
            A batch takes {plural(ROWS_MAX, "person", "people")}:{" "}
            {plural(table.rowsOverLimit, "row")} of the file are skipped.
          </Note>
        )}
        <div style={{ maxWidth: 320 }}>
          <SelectField
            label="Phone number column"
            value={String(form.phoneColumn)}
            choices={table.columns.map((column, index) => ({
              value: String(index),
              label: column,
            }))}
            onChange={(event) => set({ phoneColumn: Number(event.target.value) })}
          />
        </div>
        <div className="table-scroll">
          <table className="table">
            <thead>
              <tr>
                {table.columns.map((column, index) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: column names may repeat, positions do not
                  <th key={index} scope="col">
                    {column}{" "}
                    <span className="chip">
                      {index === form.phoneColumn ? "phone" : `{{${variableName(column)}}}`}
                    </span>
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {table.rows.slice(0, ROWS_SHOWN).map((row, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: rows of a file have no other key than their position
                <tr key={index}>
                  {table.columns.map((_, column) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: as above
                    <td key={column}>{row[column]}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
        <div className="row">
          <Button kind="primary" onClick={props.next}>
            Next: message
          </Button>
        </div>
      </div>
    </Card>
  );
}
