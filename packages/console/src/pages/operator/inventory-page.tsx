import type { InventoryNumber } from "@longwave/sdk";
import { useState } from "react";
import { useAccount } from "../../api/account.tsx";
import { FilterBar, type FilterSpec } from "../../lists/filter-bar.tsx";
import { type Column, List } from "../../lists/list.tsx";
import { Button } from "../../ui/button.tsx";
import { Empty } from "../../ui/empty.tsx";
import { statesOf } from "../../ui/looks.ts";
import { Page } from "../../ui/page.tsx";
import { useFilters, usePicked } from "../../ui/search-params.ts";
import { Status } from "../../ui/status.tsx";
import { Phone, Time } from "../../ui/values.tsx";
import { LoadNumbers } from "./load-numbers.tsx";

const PAGE_ITEMS = 100;
const FILTERS: readonly FilterSpec[] = [
  { name: "status", label: "Any status", kind: "choice", choices: statesOf("inventory") },
];
const COLUMNS: readonly Column<InventoryNumber>[] = [
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
    name: "Status",
    width: "120px",
    cell: (row) => <Status machine="inventory" state={row.status} />,
  },
  {
    name: "Place",
    width: "minmax(120px, 1fr)",
    wideOnly: true,
    cell: (row) => [row.locality, row.region].filter(Boolean).join(", ") || "–",
  },
  { name: "Carrier", width: "120px", wideOnly: true, cell: (row) => row.carrier ?? "–" },
  {
    name: "Added",
    width: "112px",
    right: true,
    wideOnly: true,
    cell: (row) => <Time at={row.created_at} />,
  },
];

export function InventoryPage() {
  const { api } = useAccount();
  const [search] = useFilters();
  const query = usePicked(search, ["status"]);
  const [isOpen, setIsOpen] = useState(false);
  const load = (
    <Button kind="primary" icon="upload" onClick={() => setIsOpen(true)}>
      Load numbers
    </Button>
  );
  return (
    <Page title="Inventory" about="Live numbers that accounts can buy." actions={load}>
      <FilterBar filters={FILTERS} />
      <List
        label="Inventory"
        source={{
          key: ["op-inventory", query],
          pageItems: PAGE_ITEMS,
          fetch: (cursor, signal) =>
            api.operator.inventory.list(
              { ...(query as object), limit: PAGE_ITEMS, cursor },
              { signal },
            ),
        }}
        columns={COLUMNS}
        empty={
          <Empty icon="box" title="No inventory" action={load}>
            Numbers that a carrier gave you are loaded here and sold to accounts.
          </Empty>
        }
      />
      {isOpen && <LoadNumbers onClose={() => setIsOpen(false)} />}
    </Page>
  );
}
