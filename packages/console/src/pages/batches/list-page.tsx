import type { Batch } from "@longwave/sdk";
import { useCallback, useEffect, useMemo, useState } from "react";
import { useAccount, useHasRole } from "../../api/account.tsx";
import { useRead } from "../../api/queries.ts";
import { FilterBar, type FilterSpec } from "../../lists/filter-bar.tsx";
import { type Column, List } from "../../lists/list.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import { Progress } from "../../ui/chart.tsx";
import { Empty } from "../../ui/empty.tsx";
import { formatCount } from "../../ui/format.ts";
import { statesOf } from "../../ui/looks.ts";
import { Page } from "../../ui/page.tsx";
import { useFilters, usePicked } from "../../ui/search-params.ts";
import { Status } from "../../ui/status.tsx";
import { Phone, Time } from "../../ui/values.tsx";
import { Creator } from "./audience.tsx";
import { doneOf, partsOf } from "./counts.ts";

const PAGE_ITEMS = 100;
const FILTERS: readonly FilterSpec[] = [
  { name: "q", label: "Name or text", kind: "text" },
  { name: "status", label: "Any status", kind: "choice", choices: statesOf("batch") },
];

/** Batches that are sending emit no progress events, so the page polls. */
const MOVING_MS = 2_000;
const RESTING_MS = 15_000;

/** Updates the progress of sending batches without moving rows. */
function useProgress(): (batch: Batch) => Batch {
  const [isMoving, setIsMoving] = useState(false);
  const sending = useRead(
    ["batches", "sending"],
    (api, signal) => api.batches.list({ status: "sending", limit: PAGE_ITEMS }, { signal }),
    { refetchMs: isMoving ? MOVING_MS : RESTING_MS },
  );
  const latest = sending.data?.data;
  useEffect(() => setIsMoving((latest?.length ?? 0) > 0), [latest]);
  return useCallback((batch) => latest?.find(({ id }) => id === batch.id) ?? batch, [latest]);
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
  {
    name: "Created by",
    width: "130px",
    wideOnly: true,
    cell: (row) => <Creator id={row.created_by} />,
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
  const { api, base } = useAccount();
  const [search] = useFilters();
  const query = usePicked(search, ["q", "status"]);
  const progress = useProgress();
  const columns = useMemo(() => columnsOf(progress), [progress]);
  const mayCreate = useHasRole("member");
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
            api.batches.list({ ...(query as object), limit: PAGE_ITEMS, cursor }, { signal }),
        }}
        columns={columns}
        linkOf={(row) => `${base}/batches/${row.id}`}
        readOtherMode={(otherApi, signal) =>
          otherApi.batches.list({ ...(query as object), limit: PAGE_ITEMS }, { signal })
        }
        grows={{ events: ["broadcast.complete"] }}
        empty={
          Object.keys(query).length === 0 ? (
            <Empty icon="batch" title="No batches yet" action={create}>
              Choose a file, a segment or tags, write one text, see what each person would get, and
              send.
            </Empty>
          ) : (
            <Empty icon="batch" title="No batch matches">
              Change or clear the filters above.
            </Empty>
          )
        }
      />
    </Page>
  );
}
