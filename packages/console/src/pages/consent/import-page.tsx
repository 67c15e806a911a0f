import type { ConsentStatus } from "@longwave/contract/tables";
import { useMemo, useState } from "react";
import { useAccount } from "../../api/account.tsx";
import { useAct } from "../../api/queries.ts";
import { type CsvTable, firstRowLine, IMPORT_ROWS_MAX, parseWholeCsv } from "../../csv.ts";
import { CsvNotes } from "../../csv-notes.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Progress } from "../../ui/chart.tsx";
import { SelectField } from "../../ui/field.tsx";
import { FileDrop } from "../../ui/file-drop.tsx";
import { formatCount, plural } from "../../ui/format.ts";
import { Card, Page } from "../../ui/page.tsx";
import { ErrorBox, Note } from "../../ui/problem.tsx";
import { Table } from "../../ui/table.tsx";
import { Tiles } from "../../ui/tiles.tsx";
import { addTo, chunksOf, NOTHING_YET, type Recorded, rowsOf } from "./import-rows.ts";
import { CONSENT_CHOICES } from "./words.ts";

const SKIPPED_SHOWN = 20;

/** Imports consent given elsewhere from a file into the ledger. */
export function ConsentImportPage() {
  const { base } = useAccount();
  const [table, setTable] = useState<CsvTable | null>(null);
  const take = (bytes: ArrayBuffer): string | null => {
    const read = parseWholeCsv(bytes, IMPORT_ROWS_MAX);
    if (typeof read === "string") return read;
    setTable(read);
    return null;
  };
  return (
    <Page
      title="Import consent"
      about="Opt-outs and opt-ins from elsewhere. An import opts nobody back in who has opted out here."
      crumb={{ to: `${base}/consent`, label: "Consent" }}
      actions={table && <Button onClick={() => setTable(null)}>Another file</Button>}
      narrow
    >
      {table === null ? (
        <Card title="File">
          <FileDrop
            what="Choose a CSV file"
            accept=".csv,text/csv,text/plain"
            about={`A column of phones; if there are, also status, date and source. At most ${formatCount(IMPORT_ROWS_MAX)} rows.`}
            onFile={async (file) => take(await file.arrayBuffer())}
          />
        </Card>
      ) : (
        <Recording table={table} onChange={setTable} />
      )}
    </Page>
  );
}

function Recording(props: { table: CsvTable; onChange: (table: CsvTable) => void }) {
  const { base } = useAccount();
  const [otherwise, setOtherwise] = useState<ConsentStatus>("opted_out");
  const rows = useMemo(() => rowsOf(props.table, otherwise), [props.table, otherwise]);
  const firstLine = firstRowLine(props.table);
  const [recorded, setRecorded] = useState<Recorded>(NOTHING_YET);
  const record = useAct(
    async (_: undefined, { api, idempotencyKey }) => {
      let soFar = NOTHING_YET;
      for (const [index, numbers] of chunksOf(rows).entries()) {
        const options = { idempotencyKey: `${idempotencyKey}-${index}` };
        soFar = addTo(
          soFar,
          await api.consent.import({ numbers }, options),
          numbers.length,
          firstLine,
        );
        setRecorded(soFar);
      }
    },
    { stale: ["consent", "contacts"] },
  );
  const optIns = rows.filter(({ status }) => status === "opted_in").length;
  return (
    <Card title={record.isIdle ? "Preview" : record.isSuccess ? "Added" : "Adding"}>
      <div className="stack">
        <Tiles
          tiles={[
            { name: "Opted out", value: formatCount(rows.length - optIns), note: "by the file" },
            { name: "Opted in", value: formatCount(optIns), note: "by the file" },
          ]}
        />
        {record.isIdle && (
          <CsvNotes table={props.table} rowsMax={IMPORT_ROWS_MAX} onChange={props.onChange} />
        )}
        {record.isIdle ? (
          <SelectField
            label="Rows without a status are"
            value={otherwise}
            choices={CONSENT_CHOICES}
            onChange={(event) => setOtherwise(event.target.value as ConsentStatus)}
          />
        ) : (
          <Progress
            large
            label="Added"
            total={rows.length}
            parts={[{ name: "rows", value: recorded.rows, color: "--c-delivered" }]}
          />
        )}
        {record.error ? <ErrorBox error={record.error} /> : null}
        {record.isSuccess ? (
          <>
            <Note tone="green">
              Done. {formatCount(recorded.optedOut)} opted out, {formatCount(recorded.optedIn)}{" "}
              opted in, {formatCount(recorded.unchanged)} unchanged.
            </Note>
            {recorded.skipped.length > 0 && <Skipped skipped={recorded.skipped} />}
            <div className="row">
              <ButtonLink to={`${base}/consent`} kind="primary">
                See the consent
              </ButtonLink>
            </div>
          </>
        ) : (
          <div className="row">
            <Button kind="primary" busy={record.isPending} onClick={() => record.mutate(undefined)}>
              Add {plural(rows.length, "row")}
            </Button>
          </div>
        )}
      </div>
    </Card>
  );
}

function Skipped(props: { skipped: Recorded["skipped"] }) {
  const { skipped } = props;
  const more = skipped.length - SKIPPED_SHOWN;
  return (
    <>
      <h2>Skipped rows</h2>
      <Table
        label="Skipped rows"
        bare
        rows={skipped.slice(0, SKIPPED_SHOWN)}
        keyOf={(each) => String(each.line)}
        columns={[
          { name: "Line", cell: (each) => formatCount(each.line) },
          { name: "Value", cell: (each) => <code>{each.value || "–"}</code> },
          { name: "Why", cell: (each) => each.detail },
        ]}
      />
      {more > 0 && <p className="meta">And {plural(more, "other row")}.</p>}
    </>
  );
}
