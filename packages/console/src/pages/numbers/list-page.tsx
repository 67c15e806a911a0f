import type { PhoneNumber } from "@longwave/sdk";
import { useMemo } from "react";
import { useAccount, useHasRole } from "../../api/account.tsx";
import type { Mode } from "../../api/client.ts";
import { FilterBar, type FilterSpec } from "../../lists/filter-bar.tsx";
import { type Column, List } from "../../lists/list.tsx";
import type { Bulk } from "../../lists/selection.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { Empty } from "../../ui/empty.tsx";
import { formatPhone } from "../../ui/format.ts";
import { Page } from "../../ui/page.tsx";
import { useFilters, usePicked } from "../../ui/search-params.ts";
import { Status } from "../../ui/status.tsx";
import { Phone } from "../../ui/values.tsx";
import { useCustomerChoices, useCustomerNames } from "../customers/use-customer-names.ts";
import { usePoolChoices } from "../pools/use-pool-choices.ts";
import { NumberBulkActions } from "./bulk-actions.tsx";
import { nextStepOf } from "./sender-advice.ts";

const PAGE_ITEMS = 100;

type NameOf = (customerId: string) => string;

const columnsOf = (nameOf: NameOf): readonly Column<PhoneNumber>[] => [
  {
    name: "Number",
    width: "160px",
    cell: (row) => (
      <span className="strong">
        <Phone plain value={row.phone_number} />
      </span>
    ),
  },
  {
    name: "Sender",
    width: "140px",
    cell: (row) => <Status machine="sender" state={row.sender.state} />,
  },
  {
    name: "Next step",
    width: "minmax(130px, 1fr)",
    wideOnly: true,
    cell: (row) => nextStepOf(row) ?? <span className="muted">–</span>,
  },
  {
    name: "Label",
    width: "minmax(90px, 0.9fr)",
    wideOnly: true,
    cell: (row) => row.label ?? <span className="muted">–</span>,
  },
  {
    name: "Place",
    width: "minmax(132px, 1.1fr)",
    wideOnly: true,
    cell: (row) => shortLocalityOf(row),
  },
  {
    name: "Tags",
    width: "minmax(80px, 1fr)",
    wideOnly: true,
    cell: (row) =>
      row.tags.length === 0 ? (
        <span className="muted">–</span>
      ) : (
        row.tags.map((tag) => (
          <span key={tag} className="chip">
            {tag}
          </span>
        ))
      ),
  },
  {
    name: "Customer",
    width: "minmax(90px, 0.8fr)",
    wideOnly: true,
    cell: (row) =>
      row.customer_id === null ? <span className="muted">–</span> : nameOf(row.customer_id),
  },
];

export function localityOf(number: {
  locality: string | null;
  region: string | null;
  country: string;
}): string {
  return [number.locality, number.region, number.country].filter(Boolean).join(", ");
}

/** The region implies the country. */
function shortLocalityOf({ locality, region, country }: PhoneNumber): string {
  return [locality, region ?? country].filter(Boolean).join(", ");
}

function emptyTitle(mode: Mode, isFiltered: boolean): string {
  if (isFiltered) return "No numbers match";
  return mode === "test" ? "No test number yet" : "No live number yet";
}

/** Filters of the list. Pools and customers appear by name once there are any. */
function useNumberFilters(): readonly FilterSpec[] {
  const pools = usePoolChoices();
  const customers = useCustomerChoices();
  const offered: readonly FilterSpec[] = [
    { name: "pool", label: "Any pool", kind: "choice", choices: pools },
    { name: "customer_id", label: "Any customer", kind: "choice", choices: customers },
  ];
  return [
    { name: "q", label: "Digits or label", kind: "text" },
    { name: "tag", label: "Tag", kind: "text" },
    ...offered.filter((filter) => filter.kind !== "choice" || filter.choices.length > 0),
  ];
}

const BULK: Bulk<PhoneNumber> = {
  idOf: (row) => row.phone_number,
  nameOf: (row) => formatPhone(row.phone_number),
  actions: (selected, clear) => <NumberBulkActions selected={selected} clear={clear} />,
};

export function NumbersPage() {
  const { api, base, mode } = useAccount();
  const [search] = useFilters();
  const query = usePicked(search, ["q", "tag", "pool", "customer_id"]);
  const mayBuy = useHasRole("admin");
  const mayAssign = useHasRole("member");
  const nameOf = useCustomerNames();
  const columns = useMemo(() => columnsOf(nameOf), [nameOf]);
  const buy = mayBuy && (
    <ButtonLink to={`${base}/numbers/buy`} kind="primary" icon="plus">
      Buy a number
    </ButtonLink>
  );
  return (
    <Page
      title="Numbers"
      about="The numbers you send from, and where they stand with the carriers."
      actions={buy}
    >
      <FilterBar filters={useNumberFilters()} />
      <List
        label="Numbers"
        source={{
          key: ["numbers", query],
          pageItems: PAGE_ITEMS,
          fetch: (cursor, signal) =>
            api.numbers.list({ ...query, limit: PAGE_ITEMS, cursor }, { signal }),
        }}
        columns={columns}
        linkOf={(row) => `${base}/numbers/${row.phone_number}`}
        bulk={mayAssign ? BULK : undefined}
        readOtherMode={(otherApi, signal) =>
          otherApi.numbers.list({ ...query, limit: PAGE_ITEMS }, { signal })
        }
        empty={
          <Empty icon="hash" title={emptyTitle(mode, Object.keys(query).length > 0)} action={buy}>
            A number is who your texts come from. Test numbers are free and simulated.
          </Empty>
        }
      />
    </Page>
  );
}
