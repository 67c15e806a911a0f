import type { Batch } from "@longwave/sdk";
import { useCallback, useEffect, useMemo, useState } from "react";
import { useAccount, useMay } from "../../api/account.tsx";
import { useRead } from "../../api/queries.ts";
import { FilterBar, type FilterSpec } from "../../reading/filter-bar.tsx";
import { type Column, List } from "../../reading/list.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import { Progress } from "../../ui/chart.tsx";
import { Empty } from "../../ui/empty.tsx";
import { formatCount } from "../../ui/format.ts";
import { statesOf } from "../../ui/looks.ts";
import { Page } from "../../ui/page.tsx";
import { useFilters, usePicked } from "../../ui/search-params.ts";
import { Status } from "../../ui/status.tsx";
import { Phone, Time } from "../../ui/values.tsx";
import { doneOf, partsOf } from "./counts.ts";

const PAGE_ITEMS = 100;
const FILTERS: readonly FilterSpec[] = [
  { name: "status", label: "Any status", kind: "choice", choices: statesOf("batch") },
];

/** What is sending moves without an event. */
const MOVING_MS = 2_000;
const RESTING_MS = 15_000;

/** How far each batch that is sending has come by now; rows stay where they are. */
function useProgress(): (batch: Batch) => Batch {
  const { mode } = useAccount();
  const [isMoving, setIsMoving] = useState(false);
  const sending = useRead(
    ["batches", "sending", mode],
    (api, signal) => api.batches.list({ status: "sending", mode, limit: PAGE_ITEMS }, { signal }),
    { everyMs: isMoving ? MOVING_MS : RESTING_MS },
  );
  const known = sending.data?.data;
  useEffect(() => setIsMoving((known?.length ?? 0) > 0), [known]);
  return useCallback((batch) => known?.find(({ id }) => id === batch.id) ?? batch, [known]);
}

const columnsOf = (now: (batch: Batch) => Batch): readonly Column<Batch>[] => [
  {
    name: "Status",
    width: "116px",
    cell: (row) => <Status machine="batch" state={now(row).status} />,
  },
  {
    name: "Name",
    width: "minmax(120px, 1fr)",
    cell: (row) => <span className="strong">{row.name ?? row.body}</span>,
  },
  {
    name: "Progress",
    width: "180px",
    wideOnly: true,
    cell: (row) => (
      <Progress label="Progress" parts={partsOf(now(row).counts)} total={row.counts.total} />
    ),
  },
  {
    name: "Done",
    width: "120px",
    right: true,
    wideOnly: true,
    cell: (row) => `${formatCount(doneOf(now(row).counts))} / ${formatCount(row.counts.total)}`,
  },
  { name: "From", width: "140px", wideOnly: true, cell: (row) => <Phone plain value={row.from} /> },
  {
    name: "Created",
    width: "112px",
    right: true,
    wideOnly: true,
    cell: (row) => <Time at={row.created_at} />,
  },
];

export function BatchesPage() {
  const { api, base, mode } = useAccount();
  const [search] = useFilters();
  const query = usePicked(search, ["status"]);
  const progress = useProgress();
  const columns = useMemo(() => columnsOf(progress), [progress]);
  const mayCreate = useMay("member");
  const create = mayCreate && (
    <ButtonLink to={`${base}/batches/new`} kind="primary" icon="plus">
      New batch
    </ButtonLink>
  );
  return (
    <Page
      title="Batches"
      about="One text to many people, each with their own words in it."
      actions={create}
    >
      <FilterBar filters={FILTERS} />
      <List
        label="Batches"
        source={{
          key: ["batches", query],
          pageItems: PAGE_ITEMS,
          fetch: (cursor, signal) =>
            api.batches.list({ ...(query as object), mode, limit: PAGE_ITEMS, cursor }, { signal }),
        }}
        columns={columns}
        linkOf={(row) => `${base}/batches/${row.id}`}
        elsewhere={(other, signal, there) =>
          other.batches.list({ ...(query as object), mode: there, limit: PAGE_ITEMS }, { signal })
        }
        grows={{ events: ["broadcast.complete"] }}
        empty={
          <Empty icon="batch" title="No batches yet" action={create}>
            Upload a file of phone numbers, write one text, see what each person would get, and
            send.
          </Empty>
        }
      />
    </Page>
  );
}
