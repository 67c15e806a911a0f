import { FAILURES } from "@longwave/contract/tables";
import type { BatchRecipient } from "@longwave/sdk";
import { Link } from "@tanstack/react-router";
import { useAccount } from "../../api/account.tsx";
import { ExportLink } from "../../lists/export-link.tsx";
import { FilterBar, type FilterSpec } from "../../lists/filter-bar.tsx";
import { type Column, List } from "../../lists/list.tsx";
import { Empty } from "../../ui/empty.tsx";
import { formatCount } from "../../ui/format.ts";
import { statesOf } from "../../ui/looks.ts";
import { NamedPerson } from "../../ui/person.tsx";
import { useFilters, usePicked } from "../../ui/search-params.ts";
import { Status } from "../../ui/status.tsx";
import { Time } from "../../ui/values.tsx";

const PAGE_ITEMS = 500;
const FILTERS: readonly FilterSpec[] = [
  {
    name: "outcome",
    label: "Any outcome",
    kind: "choice",
    choices: [{ value: "delivered", label: "Delivered" }, ...statesOf("batch_recipient")],
  },
  {
    name: "failure_code",
    label: "Any reason",
    kind: "choice",
    choices: Object.entries(FAILURES).map(([value, { title }]) => ({ value, label: title })),
    whenSet: true,
  },
];

/** A recipient's status, with the receipts of its message. */
function RecipientStatus({ row }: { row: BatchRecipient }) {
  const isSettled = row.message_status === "delivered" || row.message_status === "failed";
  return row.status === "sent" && isSettled ? (
    <Status machine="message" state={row.message_status ?? ""} />
  ) : (
    <Status machine="batch_recipient" state={row.status} />
  );
}

export function Recipients(props: { batchId: string }) {
  const { api, base } = useAccount();
  const [search] = useFilters();
  const query = usePicked(search, ["outcome", "failure_code"]);
  const columns: readonly Column<BatchRecipient>[] = [
    {
      name: "Status",
      width: "112px",
      cell: (row) => <RecipientStatus row={row} />,
    },
    {
      name: "Row",
      width: "64px",
      right: true,
      wideOnly: true,
      cell: (row) => formatCount(row.index + 1),
    },
    { name: "To", width: "minmax(150px, 0.8fr)", cell: (row) => <NamedPerson phone={row.to} /> },
    {
      name: "Outcome",
      width: "minmax(140px, 1fr)",
      wideOnly: true,
      cell: (row) =>
        row.failure?.title ?? (
          <span className="muted">{Object.values(row.variables).join(" · ")}</span>
        ),
    },
    {
      name: "Message",
      width: "90px",
      wideOnly: true,
      cell: (row) =>
        row.message_id && (
          <Link to={`${base}/messages/${row.message_id}`} search={{}}>
            Open
          </Link>
        ),
    },
    {
      name: "Changed",
      width: "112px",
      right: true,
      wideOnly: true,
      cell: (row) => <Time at={row.updated_at} />,
    },
  ];
  return (
    <div>
      <FilterBar filters={FILTERS}>
        <ExportLink list={`batches/${props.batchId}/recipients`} query={query} />
      </FilterBar>
      <List
        label="Recipients"
        source={{
          key: ["batch", props.batchId, "recipients", query],
          pageItems: PAGE_ITEMS,
          fetch: (cursor, signal) =>
            api.batches.recipients(
              props.batchId,
              { ...(query as object), limit: PAGE_ITEMS, cursor },
              { signal },
            ),
        }}
        columns={columns}
        empty={
          <Empty icon="users" title="No recipient matches">
            Change or clear the filters above.
          </Empty>
        }
      />
    </div>
  );
}
