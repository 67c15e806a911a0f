import type { OperatorRegistration } from "@longwave/sdk";
import { useAccount } from "../../api/account.tsx";
import { FilterBar, type FilterSpec } from "../../lists/filter-bar.tsx";
import { List } from "../../lists/list.tsx";
import { Empty } from "../../ui/empty.tsx";
import { statesOf } from "../../ui/looks.ts";
import { useFilters, usePicked } from "../../ui/search-params.ts";
import { Status } from "../../ui/status.tsx";
import { Time } from "../../ui/values.tsx";
import { wordsOfUseCase } from "../registrations/words.ts";
import { AccountName } from "./account-name.tsx";

const PAGE_ITEMS = 100;
const FILTERS: readonly FilterSpec[] = [
  { name: "status", label: "Any status", kind: "choice", choices: statesOf("registration") },
];

/** Registrations of every account and status, newest first: approved ones are suspended or revoked from here. */
export function AllRegistrations() {
  const { api } = useAccount();
  const [search] = useFilters();
  const query = usePicked(search, ["status"]);
  return (
    <div className="stack">
      <FilterBar filters={FILTERS} />
      <List<OperatorRegistration>
        label="All registrations"
        source={{
          key: ["op-reviews", "all", query],
          pageItems: PAGE_ITEMS,
          fetch: (cursor, signal) =>
            api.operator.registrations.list(
              { ...(query as object), limit: PAGE_ITEMS, cursor },
              { signal },
            ),
        }}
        columns={[
          {
            name: "Business",
            width: "minmax(140px, 1.2fr)",
            cell: (row) => <span className="strong">{row.business_name}</span>,
          },
          {
            name: "Account",
            width: "minmax(110px, 0.8fr)",
            wideOnly: true,
            cell: (row) => <AccountName id={row.account_id} />,
          },
          {
            name: "Status",
            width: "140px",
            cell: (row) => <Status machine="registration" state={row.status} />,
          },
          {
            name: "For",
            width: "minmax(110px, 0.8fr)",
            wideOnly: true,
            cell: (row) => wordsOfUseCase(row.use_case),
          },
          {
            name: "Updated",
            width: "130px",
            right: true,
            cell: (row) => <Time at={row.updated_at} />,
          },
        ]}
        linkOf={(row) => `/op/reviews/${row.id}`}
        empty={
          <Empty icon="inbox" title="No registrations">
            Registrations of all accounts appear here.
          </Empty>
        }
      />
    </div>
  );
}
