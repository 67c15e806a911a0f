import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { formatCount, plural } from "../../ui/format.ts";
import { Icon } from "../../ui/icons.tsx";
import { Card } from "../../ui/page.tsx";
import { Note } from "../../ui/problem.tsx";
import { guessPhoneColumn, parseCsv } from "./csv.ts";
import { ROWS_MAX, type StepProps } from "./draft.ts";

const FILE_BYTES_MAX = 8 * 1024 * 1024;

export function PeopleStep(props: StepProps) {
  const { draft, set } = props;
  const [problem, setProblem] = useState<string | null>(null);
  const [isOver, setIsOver] = useState(false);
  const take = async (file: File | undefined) => {
    if (!file) return;
    if (file.size > FILE_BYTES_MAX) {
      setProblem("The file is larger than 8 MB. Split it into several.");
      return;
    }
    const table = parseCsv(await file.text(), ROWS_MAX);
    if (table.rows.length === 0) {
      setProblem("The file has no rows below its first line. The first line names the columns.");
      return;
    }
    setProblem(null);
    set({
      fileName: file.name,
      table,
      phoneColumn: guessPhoneColumn(table),
      name: draft.name || file.name.replace(/\.csv$/i, ""),
    });
    props.next();
  };
  return (
    <Card title="Who gets it">
      <div className="stack">
        <label
          className="drop"
          data-over={isOver}
          onDragOver={(event) => {
            event.preventDefault();
            setIsOver(true);
          }}
          onDragLeave={() => setIsOver(false)}
          onDrop={(event) => {
            event.preventDefault();
            setIsOver(false);
            void take(event.dataTransfer.files[0]);
          }}
        >
          <Icon name="upload" size={24} />
          <span>
            <b>Choose a CSV file</b> or drop it here
          </span>
          <span className="meta">
            One line per person, the first line names the columns. At most {formatCount(ROWS_MAX)}{" "}
            people.
          </span>
          <input
            type="file"
            className="sr-only"
            accept=".csv,text/csv,text/plain"
            onChange={(event) => void take(event.target.files?.[0])}
          />
        </label>
        {problem !== null && <Note tone="red">{problem}</Note>}
        {draft.table && (
          <div className="row-apart">
            <span>
              {draft.fileName}: {plural(draft.table.rows.length, "person", "people")}
            </span>
            <Button kind="primary" onClick={props.next}>
              Go on with it
            </Button>
          </div>
        )}
      </div>
    </Card>
  );
}
