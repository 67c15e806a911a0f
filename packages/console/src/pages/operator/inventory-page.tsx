import { INVENTORY_LOAD_NUMBERS_MAX } from "@longwave/contract/tables";
import type { InventoryNumber, OperatorInventoryCreateBody } from "@longwave/sdk";
import { useState } from "react";
import { useAccount } from "../../api/account.tsx";
import { useAct } from "../../api/queries.ts";
import { parseCsv } from "../../csv.ts";
import { FilterBar, type FilterSpec } from "../../reading/filter-bar.tsx";
import { type Column, List } from "../../reading/list.tsx";
import { Button } from "../../ui/button.tsx";
import { FormDialog } from "../../ui/dialog.tsx";
import { Empty } from "../../ui/empty.tsx";
import { AreaField } from "../../ui/field.tsx";
import { plural } from "../../ui/format.ts";
import { statesOf } from "../../ui/looks.ts";
import { Page } from "../../ui/page.tsx";
import { useFilters, usePicked } from "../../ui/search-params.ts";
import { Status } from "../../ui/status.tsx";
import { toast } from "../../ui/toast.tsx";
import { Phone, Time } from "../../ui/values.tsx";

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
          <Empty icon="box" title="The stock is empty" action={load}>
            Numbers that a carrier gave you are loaded here and sold to accounts.
          </Empty>
        }
      />
      {isOpen && <LoadDialog onClose={() => setIsOpen(false)} />}
    </Page>
  );
}

const SAMPLE = "phone_number,type,locality,region,carrier\n+14155550123,local,San Francisco,CA,";

function numbersOf(text: string): OperatorInventoryCreateBody["numbers"] {
  const { columns, rows } = parseCsv(text, INVENTORY_LOAD_NUMBERS_MAX);
  return rows.map((row) => {
    const cell = (name: string) => row[columns.indexOf(name)]?.trim() || null;
    return {
      phone_number: cell("phone_number") ?? "",
      type: cell("type") === "toll_free" ? "toll_free" : "local",
      locality: cell("locality"),
      region: cell("region"),
      carrier: cell("carrier"),
    };
  });
}

function LoadDialog(props: { onClose: () => void }) {
  const [text, setText] = useState(SAMPLE);
  const numbers = numbersOf(text);
  const load = useAct(
    (_: undefined, { api, idempotencyKey }) =>
      api.operator.inventory.create({ numbers }, { idempotencyKey }),
    {
      stale: ["op-inventory"],
      onDone: (done) => {
        props.onClose();
        toast(`${plural(done.added, "number")} added, ${done.skipped} known already.`);
      },
    },
  );
  return (
    <FormDialog
      title="Load numbers"
      isOpen
      onClose={props.onClose}
      onSubmit={() => load.mutate(undefined)}
      submit={`Load ${plural(numbers.length, "number")}`}
      busy={load.isPending}
      error={load.error}
    >
      <AreaField
        label="CSV"
        rows={8}
        help="The first line names the columns: phone_number, type (local or toll_free), locality, region, carrier."
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
    </FormDialog>
  );
}
