import { type CsvTable, withHeader } from "./csv.ts";
import { CheckField } from "./ui/field.tsx";
import { Note } from "./ui/problem.tsx";

/** Guesses about a file that its reader may correct: its encoding, and the meaning of its first line. */
export function CsvNotes(props: {
  table: CsvTable;
  rowsMax: number;
  onChange: (table: CsvTable) => void;
}) {
  const { table, rowsMax } = props;
  return (
    <>
      {table.isWindowsText && (
        <Note tone="amber">
          The file is not in UTF-8, so it was read as Windows-1252. Check that names with accents
          look right. If they do not, save the file as CSV UTF-8 and choose it again.
        </Note>
      )}
      {table.firstLine && (
        <CheckField
          label="The first line names the columns"
          help="It holds a phone number, so it counts as a person."
          checked={table.isHeadless !== true}
          onChange={(hasHeader) => props.onChange(withHeader(table, hasHeader, rowsMax))}
        />
      )}
    </>
  );
}
