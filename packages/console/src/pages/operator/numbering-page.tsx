import { LINE_TYPES, NUMBERING_BYTES_MAX, NUMBERING_COLUMNS } from "@longwave/contract/tables";
import type { AuditLog } from "@longwave/sdk";
import { useState } from "react";
import { useAct, useRead } from "../../api/queries.ts";
import { Loaded } from "../../lists/loaded.tsx";
import { Code } from "../../ui/code.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { Empty } from "../../ui/empty.tsx";
import { FileDrop } from "../../ui/file-drop.tsx";
import { formatCount, plural } from "../../ui/format.ts";
import { Card, Page } from "../../ui/page.tsx";
import { Badge } from "../../ui/status.tsx";
import { Table, type TableColumn } from "../../ui/table.tsx";
import { toast } from "../../ui/toast.tsx";
import { Time } from "../../ui/values.tsx";
import { actorName } from "../audit/entries.tsx";

const LOADS_SHOWN = 20;
/** Upload timeout: a file of all exchanges takes some seconds. */
const LOAD_MS_MAX = 300_000;
const MB_BYTES = 1024 * 1024;
const SAMPLE = `${NUMBERING_COLUMNS.join()}\n206555,mobile,Example Wireless,Seattle,WA\n206556,landline,,Seattle,WA`;

/** Numbering data files that were loaded, and a form to load another. */
export function NumberingPage() {
  const loads = useRead(["op-numbering"], async (api, signal) => {
    const query = { action: "numbering.loaded", limit: LOADS_SHOWN } as const;
    const page = await api.operator.auditLogs.list(query, { signal });
    return page.data;
  });
  return (
    <Page
      title="Numbering data"
      about="Line type, carrier and place of phone numbers, by area code and exchange. Lookups, batches, imports and verifications go by the newest file."
    >
      <div className="columns">
        <Card title="Files" flush>
          <Loaded query={loads}>
            {(entries) =>
              entries.length === 0 ? (
                <Empty icon="hash" title="No file was loaded yet">
                  Without a file, lookups only recognize toll-free numbers.
                </Empty>
              ) : (
                <Loads loads={entries} />
              )
            }
          </Loaded>
        </Card>
        <LoadFile />
      </div>
    </Page>
  );
}

/** Loads from the audit log; the newest one is in effect. */
function Loads(props: { loads: readonly AuditLog[] }) {
  const newest = props.loads[0]?.id;
  const columns: readonly TableColumn<AuditLog>[] = [
    {
      name: "State",
      cell: (load) =>
        load.id === newest ? (
          <Badge tone="green" icon="check" word="In use" />
        ) : (
          <Badge tone="slate" icon="minus" word="Replaced" />
        ),
    },
    {
      name: "Ranges of 10,000 numbers",
      right: true,
      cell: (load) => <span className="strong">{formatCount(rowsOf(load))}</span>,
    },
    { name: "Loaded by", cell: actorName },
    { name: "When", right: true, cell: (load) => <Time at={load.created_at} /> },
  ];
  return (
    <Table label="Files" bare columns={columns} rows={props.loads} keyOf={(load) => load.id} />
  );
}

/** Rows of a loaded file, as its audit entry tells. */
function rowsOf({ changes }: AuditLog): number {
  const rows = changes["rows"] as { readonly to?: unknown } | undefined;
  return Number(rows?.to ?? 0);
}

function LoadFile() {
  const [file, setFile] = useState<File | null>(null);
  const load = useAct(
    (chosen: File, { api, idempotencyKey }) =>
      api.operator.numbering.load(chosen, { idempotencyKey, timeoutMs: LOAD_MS_MAX }),
    {
      stale: ["op-numbering"],
      onDone: (done) => {
        setFile(null);
        toast(`${plural(done.rows, "range")} of numbers are known now.`);
      },
    },
  );
  const choose = (chosen: File | null) => {
    load.reset();
    setFile(chosen);
  };
  return (
    <Card title="Load a file">
      <div className="stack">
        <FileDrop
          what="Choose a CSV file"
          accept=".csv,text/csv,text/plain"
          about={`In UTF-8, at most ${NUMBERING_BYTES_MAX / MB_BYTES} MB. It replaces everything that was loaded before.`}
          bytesMax={NUMBERING_BYTES_MAX}
          onFile={(chosen) => {
            choose(chosen);
            return null;
          }}
        />
        <p className="muted">
          Six digits of area code and exchange; the kind of line, one of{" "}
          <code>{LINE_TYPES.join(", ")}</code>; and who runs it and where, each of which may be
          empty.
        </p>
        <Code samples={[{ title: "numbering.csv", text: SAMPLE }]} />
      </div>
      <Confirm
        title={`Load ${file?.name ?? ""}?`}
        isOpen={file !== null}
        onClose={() => choose(null)}
        onConfirm={() => file && load.mutate(file)}
        action="Replace what is known"
        busy={load.isPending}
        error={load.error}
      >
        All that is known of ranges of numbers goes, and what the file says takes its place. Where
        one of its lines is wrong, nothing changes.
      </Confirm>
    </Card>
  );
}
