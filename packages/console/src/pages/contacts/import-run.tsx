import { csvRow } from "@longwave/contract/tables";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useAccount } from "../../api/account.tsx";
import { makeIdempotencyKey } from "../../clock.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Progress } from "../../ui/chart.tsx";
import { saveFile } from "../../ui/files.ts";
import { formatCount, plural } from "../../ui/format.ts";
import { Card } from "../../ui/page.tsx";
import { ErrorBox, Note } from "../../ui/problem.tsx";
import { Table } from "../../ui/table.tsx";
import { Tiles } from "../../ui/tiles.tsx";
import { addTo, chunksOf, type ImportForm, type ImportTotals, NOTHING_YET } from "./import-form.ts";

type Phase = "trying" | "tried" | "importing" | "done" | "broken";

const REFUSED_SHOWN = 20;
/** Maximum length of an import's label. */
const NAME_CHARS = 100;

/**
 * Sends every chunk as a trial, then as an import. After a failure it resumes at the failed chunk.
 */
export function ImportRun(props: { form: ImportForm; onFinished: () => void }) {
  const run = useImport(props.form);
  const { base } = useAccount();
  const total = props.form.table?.rows.length ?? 0;
  const { isImport } = run;
  const title = run.phase === "done" ? "Imported" : isImport ? "Importing" : "Preview";
  return (
    <Card title={title}>
      <div className="stack">
        <Progress
          large
          label={isImport ? "Imported" : "Tried out"}
          total={total}
          parts={[{ name: "rows", value: run.totals.rows, color: "--c-delivered" }]}
        />
        <p className="meta tabular" aria-live="polite">
          {formatCount(run.totals.rows)} of {plural(total, "row")}
        </p>
        <Figures totals={run.totals} isImport={isImport} />
        {run.totals.refused.length > 0 && <RefusedRows totals={run.totals} />}
        {run.error !== null && <ErrorBox error={run.error} onRetry={run.goOn} />}
        {run.phase === "tried" && (
          <div className="row">
            <Button
              kind="primary"
              disabled={run.totals.created + run.totals.updated === 0}
              onClick={run.begin}
            >
              Import {plural(run.totals.created + run.totals.updated, "person", "people")}
            </Button>
          </div>
        )}
        {run.phase === "done" && (
          <>
            <Note tone="green">
              Done. {plural(run.totals.created, "contact")} added, {formatCount(run.totals.updated)}{" "}
              updated.
            </Note>
            <div className="row">
              <ButtonLink to={`${base}/contacts`} kind="primary">
                See the contacts
              </ButtonLink>
              <Button onClick={props.onFinished}>Import another file</Button>
            </div>
          </>
        )}
      </div>
    </Card>
  );
}

/**
 * Sends one request after the other; after a network failure it resumes with the unanswered one.
 */
function useImport(form: ImportForm) {
  const { api, scope } = useAccount();
  const client = useQueryClient();
  const [chunks] = useState(() => chunksOf(form));
  const [keys] = useState(() => chunks.map(makeIdempotencyKey));
  const [phase, setPhase] = useState<Phase>("trying");
  const [isImport, setIsImport] = useState(false);
  const [totals, setTotals] = useState<ImportTotals>(NOTHING_YET);
  const [error, setError] = useState<unknown>(null);
  const [chunk, setChunk] = useState(0);
  const importId = useRef<string | undefined>(undefined);

  useEffect(() => {
    if (phase !== "trying" && phase !== "importing") return;
    const sent = chunks[chunk];
    if (!sent) {
      setPhase(phase === "trying" ? "tried" : "done");
      void client.invalidateQueries({ queryKey: [...scope, "contacts"] });
      return;
    }
    const stop = new AbortController();
    const isTrial = phase === "trying";
    const body = {
      contacts: [...sent.rows],
      ...(isTrial ? { dry_run: true } : { name: form.fileName.slice(0, NAME_CHARS) }),
      ...(importId.current === undefined ? {} : { import_id: importId.current }),
    };
    // The key makes a request that is repeated after a network failure take effect once.
    const options = { signal: stop.signal, idempotencyKey: `${keys[chunk]}-${phase}` };
    api.contacts.import(body, options).then(
      (answer) => {
        importId.current = answer.import_id ?? undefined;
        setTotals((before) => addTo(before, answer, sent));
        setChunk(chunk + 1);
      },
      (caught: unknown) => {
        if (stop.signal.aborted) return;
        setError(caught);
        setPhase("broken");
      },
    );
    return () => stop.abort();
  }, [phase, chunk, chunks, keys, api, client, scope, form.fileName]);

  return {
    phase,
    totals,
    error,
    isImport,
    begin() {
      importId.current = undefined;
      setChunk(0);
      setTotals(NOTHING_YET);
      setIsImport(true);
      setPhase("importing");
    },
    goOn() {
      setError(null);
      setPhase(isImport ? "importing" : "trying");
    },
  };
}

function Figures(props: { totals: ImportTotals; isImport: boolean }) {
  const { totals } = props;
  return (
    <Tiles
      tiles={[
        { name: props.isImport ? "Added" : "Would be added", value: formatCount(totals.created) },
        {
          name: props.isImport ? "Updated" : "Would be updated",
          value: formatCount(totals.updated),
        },
        ...(totals.merged > 0
          ? [{ name: "Repeated rows, merged", value: formatCount(totals.merged) }]
          : []),
        { name: "Opted out", value: formatCount(totals.optedOut) },
        { name: "Skipped", value: formatCount(totals.refused.length) },
      ]}
    />
  );
}

function RefusedRows(props: { totals: ImportTotals }) {
  const { refused } = props.totals;
  const save = () =>
    saveFile(
      "skipped-rows.csv",
      "text/csv",
      [
        csvRow(["line", "value", "reason"]),
        ...refused.map((each) => csvRow([each.line, each.value, each.reason])),
      ].join(""),
    );
  return (
    <>
      <div className="row-apart">
        <h2>Skipped rows</h2>
        <Button size="small" icon="download" onClick={save}>
          Download all {formatCount(refused.length)}
        </Button>
      </div>
      <Table
        label="Skipped rows"
        bare
        rows={refused.slice(0, REFUSED_SHOWN)}
        keyOf={(each) => String(each.line)}
        columns={[
          { name: "Line", cell: (each) => formatCount(each.line) },
          { name: "Value", cell: (each) => <code>{each.value || "–"}</code> },
          { name: "Why", cell: (each) => each.reason },
        ]}
      />
    </>
  );
}
