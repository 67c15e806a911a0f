import type { Erasure } from "@longwave/sdk";
import { useParams } from "@tanstack/react-router";
import { useAccount } from "../../api/account.tsx";
import { useRead } from "../../api/queries.ts";
import { Loaded } from "../../lists/loaded.tsx";
import { Id } from "../../ui/copy.tsx";
import { formatCount, formatPhone } from "../../ui/format.ts";
import { Card, Facts, Page } from "../../ui/page.tsx";
import { Note } from "../../ui/problem.tsx";
import { Status } from "../../ui/status.tsx";
import { Table, type TableColumn } from "../../ui/table.tsx";
import { Time } from "../../ui/values.tsx";

const POLL_MS = 5_000;

type Line = Erasure["report"][number];

const COLUMNS: readonly TableColumn<Line>[] = [
  { name: "Place", cell: (row) => row.place.replaceAll("_", " ") },
  {
    name: "Effect",
    cell: (row) => (row.action === "deleted" ? "Deleted" : "Number and text removed"),
  },
  { name: "Records", right: true, cell: (row) => formatCount(row.records) },
];

export function ErasurePage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const { base } = useAccount();
  const erasure = useRead(
    ["erasures", id],
    (api, signal) => api.erasures.get(id, { signal }),
    // A running erasure ends by itself.
    { refetchMs: POLL_MS },
  );
  const number = erasure.data?.phone_number;
  return (
    <Page
      title={number ? `Erasure of ${formatPhone(number)}` : "Erasure"}
      crumb={{ to: `${base}/personal-data`, label: "Personal data" }}
    >
      <Loaded query={erasure}>{(value) => <Report erasure={value} />}</Loaded>
    </Page>
  );
}

function Report(props: { erasure: Erasure }) {
  const { erasure } = props;
  return (
    <div className="columns">
      <div className="stack-wide">
        {erasure.waiting > 0 && (
          <Note tone="amber">
            {formatCount(erasure.waiting)} messages or rows of batches have not ended. They are
            refused when they are due, and then erased.
          </Note>
        )}
        <Card title="Erased data" flush>
          {erasure.report.length === 0 ? (
            <p className="card-body muted">
              {erasure.status === "running" ? "It begins within a minute." : "Nothing was stored."}
            </p>
          ) : (
            <Table
              bare
              label="Erased data"
              columns={COLUMNS}
              rows={erasure.report}
              keyOf={(row) => row.place}
            />
          )}
        </Card>
      </div>
      <Card title="Details">
        <div className="stack">
          <Facts
            facts={[
              { name: "Status", value: <Status machine="erasure" state={erasure.status} /> },
              { name: "Asked", value: <Time at={erasure.created_at} /> },
              {
                name: "Complete",
                value: erasure.completed_at ? <Time at={erasure.completed_at} /> : "–",
              },
              { name: "Note", value: erasure.note ?? "–" },
              { name: "Id", value: <Id value={erasure.id} /> },
            ]}
          />
          <p className="meta">
            Backups made before still have the number, until they are deleted. After restoring one,
            erase again.
          </p>
        </div>
      </Card>
    </div>
  );
}
