import type { AccountDeletion } from "@longwave/sdk";
import { useParams } from "@tanstack/react-router";
import { useAccount } from "../../api/account.tsx";
import { useRead } from "../../api/queries.ts";
import { type Column, List } from "../../lists/list.tsx";
import { Loaded } from "../../lists/loaded.tsx";
import { Id } from "../../ui/copy.tsx";
import { Empty } from "../../ui/empty.tsx";
import { formatCount, formatPhone } from "../../ui/format.ts";
import { Card, Facts, Page } from "../../ui/page.tsx";
import { Status } from "../../ui/status.tsx";
import { Table, type TableColumn } from "../../ui/table.tsx";
import { Time } from "../../ui/values.tsx";

const PAGE_ITEMS = 100;

const CANCELED_WORDS: Readonly<Record<keyof AccountDeletion["canceled"], string>> = {
  messages: "Waiting messages",
  scheduled_messages: "Scheduled messages",
  batches: "Batches",
  schedules: "Recurring schedules",
  automation_runs: "Automation runs",
};

const REMAINS_WORDS: Readonly<Record<AccountDeletion["remains"][number]["place"], string>> = {
  backups: "Backups made before",
  carrier_references: "Message ids at carriers",
  unmatched_carrier_traffic: "Carrier traffic without a message",
  unreadable_callbacks: "Callbacks that could not be read",
  installation_audit_log: "The installation's audit log, and this report",
  server_logs: "Server logs",
  carrier_records: "The carriers' own records",
};

const COLUMNS: readonly Column<AccountDeletion>[] = [
  {
    name: "Name",
    width: "minmax(140px, 1fr)",
    cell: (row) => <span className="strong">{row.name}</span>,
  },
  { name: "Account", width: "170px", wideOnly: true, cell: (row) => <Id value={row.account_id} /> },
  {
    name: "Status",
    width: "130px",
    cell: (row) => <Status machine="erasure" state={row.status} />,
  },
  {
    name: "Deleted",
    width: "112px",
    right: true,
    wideOnly: true,
    cell: (row) => <Time at={row.created_at} />,
  },
];

const ERASED_COLUMNS: readonly TableColumn<AccountDeletion["report"][number]>[] = [
  { name: "Table", cell: (row) => row.place },
  { name: "Rows", right: true, cell: (row) => formatCount(row.records) },
];

const REMAINS_COLUMNS: readonly TableColumn<AccountDeletion["remains"][number]>[] = [
  { name: "Data", cell: (row) => REMAINS_WORDS[row.place] },
  {
    name: "Until",
    cell: (row) => (row.until === null ? "Its deletion" : <Time at={row.until} />),
  },
];

export function DeletionsPage() {
  const { api } = useAccount();
  return (
    <Page title="Deleted accounts" about="Data that each deletion erased, and data that remains.">
      <List
        label="Deleted accounts"
        source={{
          key: ["op-deletions"],
          pageItems: PAGE_ITEMS,
          fetch: (cursor, signal) =>
            api.operator.accountDeletions.list({ limit: PAGE_ITEMS, cursor }, { signal }),
        }}
        columns={COLUMNS}
        linkOf={(row) => `/op/deletions/${row.id}`}
        empty={<Empty icon="trash" title="No account was deleted" />}
      />
    </Page>
  );
}

export function DeletionPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const deletion = useRead(["op-deletions", id], (api, signal) =>
    api.operator.accountDeletions.get(id, { signal }),
  );
  return (
    <Page
      title={deletion.data ? `Deletion of ${deletion.data.name}` : "Deletion"}
      crumb={{ to: "/op/deletions", label: "Deleted accounts" }}
    >
      <Loaded query={deletion}>{(value) => <Report deletion={value} />}</Loaded>
    </Page>
  );
}

function Report(props: { deletion: AccountDeletion }) {
  const { deletion } = props;
  const kinds = Object.keys(CANCELED_WORDS) as (keyof typeof CANCELED_WORDS)[];
  return (
    <div className="columns">
      <div className="stack-wide">
        <Card title="Erased" flush>
          {deletion.report.length === 0 ? (
            <p className="card-body muted">Nothing yet. It begins a minute after the deletion.</p>
          ) : (
            <Table
              bare
              label="Erased"
              columns={ERASED_COLUMNS}
              rows={deletion.report}
              keyOf={(row) => row.place}
            />
          )}
        </Card>
        <Card title="Remaining data" flush>
          <Table
            bare
            label="Remaining data"
            columns={REMAINS_COLUMNS}
            rows={deletion.remains}
            keyOf={(row) => row.place}
          />
        </Card>
      </div>
      <div className="stack-wide">
        <Card title="Details">
          <Facts
            facts={[
              { name: "Status", value: <Status machine="erasure" state={deletion.status} /> },
              { name: "Account", value: <Id value={deletion.account_id} /> },
              { name: "Deleted", value: <Time at={deletion.created_at} /> },
              {
                name: "Complete",
                value: deletion.completed_at ? <Time at={deletion.completed_at} /> : "–",
              },
            ]}
          />
        </Card>
        <Card title="Canceled">
          <Facts
            facts={kinds.map((kind) => ({
              name: CANCELED_WORDS[kind],
              value: formatCount(deletion.canceled[kind]),
            }))}
          />
        </Card>
        {deletion.numbers.length > 0 && (
          <Card title="Released numbers">
            <Facts
              facts={deletion.numbers.map(({ phone_number, available_at }) => ({
                name: formatPhone(phone_number),
                value: available_at ? (
                  <span>
                    For sale again <Time at={available_at} />
                  </span>
                ) : (
                  "Released"
                ),
              }))}
            />
          </Card>
        )}
      </div>
    </div>
  );
}
