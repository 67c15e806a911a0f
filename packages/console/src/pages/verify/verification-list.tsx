import type { Verification } from "@longwave/sdk";
import { useAccount } from "../../api/account.tsx";
import { FilterBar, type FilterSpec, TIME_FILTERS } from "../../lists/filter-bar.tsx";
import { type Column, List } from "../../lists/list.tsx";
import { Empty } from "../../ui/empty.tsx";
import { statesOf } from "../../ui/looks.ts";
import { NamedPerson } from "../../ui/person.tsx";
import { useFilters, usePicked } from "../../ui/search-params.ts";
import { Status } from "../../ui/status.tsx";
import { Time } from "../../ui/values.tsx";

const PAGE_ITEMS = 100;
const FILTERS: readonly FilterSpec[] = [
  { name: "phone", label: "Search by number", kind: "phone" },
  { name: "status", label: "Any status", kind: "choice", choices: statesOf("verification") },
  ...TIME_FILTERS,
];
const EVENTS = ["verification.sent", "verification.approved", "verification.failed"];

const COLUMNS: readonly Column<Verification>[] = [
  {
    name: "Status",
    width: "136px",
    cell: (row) => <Status machine="verification" state={row.status} />,
  },
  { name: "Person", width: "minmax(150px, 1fr)", cell: (row) => <NamedPerson phone={row.phone} /> },
  {
    name: "Name in the text",
    width: "minmax(100px, 0.8fr)",
    wideOnly: true,
    cell: (row) => row.app_name ?? <span className="muted">–</span>,
  },
  {
    name: "Tries",
    width: "72px",
    right: true,
    wideOnly: true,
    cell: (row) => `${row.attempts} of ${row.max_attempts}`,
  },
  {
    name: "Billed",
    width: "72px",
    wideOnly: true,
    cell: (row) => (row.charged ? "Yes" : <span className="muted">No</span>),
  },
  { name: "Started", width: "112px", right: true, cell: (row) => <Time at={row.created_at} /> },
];

/** Verifications of the account: whose code worked, and whose did not. */
export function VerificationList() {
  const { api, base } = useAccount();
  const [search] = useFilters();
  const query = usePicked(search, ["phone", "status", "created_after", "created_before"]);
  return (
    <section aria-label="Codes by person">
      <FilterBar filters={FILTERS} />
      <List
        label="Verifications"
        source={{
          key: ["verifications", query],
          pageItems: PAGE_ITEMS,
          fetch: (cursor, signal) =>
            api.verify.list({ ...(query as object), limit: PAGE_ITEMS, cursor }, { signal }),
        }}
        columns={COLUMNS}
        linkOf={(row) => `${base}/verify/${row.id}`}
        grows={{ events: EVENTS }}
        empty={
          <Empty
            icon="shield"
            title={Object.keys(query).length > 0 ? "No verification matches" : "No codes yet"}
          >
            Each person who was texted a code, and whether it was entered.
          </Empty>
        }
      />
    </section>
  );
}
