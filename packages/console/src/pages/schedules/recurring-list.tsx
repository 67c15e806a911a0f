import type { Schedule } from "@longwave/sdk";
import { useAccount, useHasRole } from "../../api/account.tsx";
import { FilterBar, type FilterSpec } from "../../lists/filter-bar.tsx";
import { type Column, List } from "../../lists/list.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import { Empty } from "../../ui/empty.tsx";
import { statesOf } from "../../ui/looks.ts";
import { NamedPerson } from "../../ui/person.tsx";
import { useFilters, usePicked } from "../../ui/search-params.ts";
import { Status } from "../../ui/status.tsx";
import { Time } from "../../ui/values.tsx";
import { ruleWords } from "./rule.ts";

const PAGE_ITEMS = 50;
const FILTERS: readonly FilterSpec[] = [
  { name: "status", label: "Any state", kind: "choice", choices: statesOf("schedule") },
];

const COLUMNS: readonly Column<Schedule>[] = [
  { name: "To", width: "minmax(150px, 0.8fr)", cell: (row) => <NamedPerson phone={row.to} /> },
  {
    name: "When",
    width: "minmax(160px, 1.2fr)",
    cell: (row) => <span className="strong">{ruleWords(row)}</span>,
  },
  {
    name: "Text",
    width: "minmax(120px, 1fr)",
    wideOnly: true,
    cell: (row) => <span className="muted">{row.body}</span>,
  },
  {
    name: "State",
    width: "110px",
    wideOnly: true,
    cell: (row) => <Status machine="schedule" state={row.status} />,
  },
  {
    name: "Next",
    width: "104px",
    right: true,
    wideOnly: true,
    cell: (row) => <Time at={row.next_at} />,
  },
];

export function RecurringList() {
  const { api, base } = useAccount();
  const [search] = useFilters();
  const query = usePicked(search, ["status"]);
  const maySend = useHasRole("member");
  return (
    <div>
      <FilterBar filters={FILTERS} />
      <List
        label="Recurring texts"
        source={{
          key: ["schedules", query],
          pageItems: PAGE_ITEMS,
          fetch: (cursor, signal) =>
            api.schedules.list({ ...(query as object), limit: PAGE_ITEMS, cursor }, { signal }),
        }}
        columns={COLUMNS}
        readOtherMode={(otherApi, signal) =>
          otherApi.schedules.list({ ...(query as object), limit: PAGE_ITEMS }, { signal })
        }
        linkOf={(row) => `${base}/schedules/${row.id}`}
        empty={
          query.status === undefined ? (
            <Empty
              icon="retry"
              title="No recurring texts yet"
              action={
                maySend && (
                  <ButtonLink to={`${base}/schedules/new`} kind="primary" icon="retry">
                    New recurring text
                  </ButtonLink>
                )
              }
            >
              For example every Monday at nine, in a time zone of your choice.
            </Empty>
          ) : (
            <Empty icon="retry" title="No recurring text matches">
              Change or clear the filter above.
            </Empty>
          )
        }
      />
    </div>
  );
}
