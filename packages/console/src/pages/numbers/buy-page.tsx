import type { AvailableNumber } from "@longwave/sdk";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useAccount } from "../../api/account.tsx";
import { useAct } from "../../api/queries.ts";
import { FilterBar, type FilterSpec } from "../../lists/filter-bar.tsx";
import { type Column, List } from "../../lists/list.tsx";
import { Button } from "../../ui/button.tsx";
import { FormDialog } from "../../ui/dialog.tsx";
import { Empty } from "../../ui/empty.tsx";
import { SelectField } from "../../ui/field.tsx";
import { formatPhone, formatUsd } from "../../ui/format.ts";
import { Facts, Page } from "../../ui/page.tsx";
import { useFilters, usePicked } from "../../ui/search-params.ts";
import { toast } from "../../ui/toast.tsx";
import { Money, Phone } from "../../ui/values.tsx";
import { useCustomerChoices } from "../customers/use-customer-names.ts";
import { localityOf } from "./list-page.tsx";

const PAGE_ITEMS = 100;
const FILTERS: readonly FilterSpec[] = [
  { name: "area_code", label: "Area code, such as 415", kind: "text" },
  { name: "contains", label: "Contains", kind: "text" },
  { name: "locality", label: "City", kind: "text" },
  { name: "region", label: "State, such as CA", kind: "text" },
];

const QUERY = ["area_code", "contains", "locality", "region"] as const;

export function BuyPage() {
  const { api, base, mode } = useAccount();
  const [search] = useFilters();
  const query = usePicked(search, QUERY);
  const [chosen, setChosen] = useState<AvailableNumber | null>(null);
  const columns: readonly Column<AvailableNumber>[] = [
    {
      name: "Number",
      width: "170px",
      cell: (row) => (
        <span className="strong">
          <Phone plain value={row.phone_number} />
        </span>
      ),
    },
    { name: "Place", width: "minmax(120px, 1fr)", wideOnly: true, cell: (row) => localityOf(row) },
    {
      name: "Type",
      width: "100px",
      wideOnly: true,
      cell: (row) => (row.type === "local" ? "Local" : "Toll-free"),
    },
    {
      name: "Monthly price",
      width: "90px",
      right: true,
      wideOnly: true,
      isMoney: true,
      cell: (row) => <Money usd={row.monthly_price} />,
    },
    {
      name: "",
      width: "72px",
      right: true,
      cell: (row) => (
        <Button size="small" onClick={() => setChosen(row)}>
          Buy
        </Button>
      ),
    },
  ];
  return (
    <Page
      title="Buy a number"
      about={
        mode === "test" ? "Test numbers are fictional and free." : "Charged now and each month."
      }
      crumb={{ to: `${base}/numbers`, label: "Numbers" }}
    >
      <FilterBar filters={FILTERS} />
      <List
        label="Available numbers"
        source={{
          key: ["available", query],
          pageItems: PAGE_ITEMS,
          fetch: (cursor, signal) =>
            api.numbers.available({ ...(query as object), limit: PAGE_ITEMS, cursor }, { signal }),
        }}
        columns={columns}
        empty={
          <Empty icon="hash" title="No numbers found">
            {mode === "live"
              ? "The operator has no number in stock that matches. Try another area code, or ask the operator."
              : "Try another area code."}
          </Empty>
        }
      />
      <BuyDialog number={chosen} onClose={() => setChosen(null)} />
    </Page>
  );
}

function BuyDialog(props: { number: AvailableNumber | null; onClose: () => void }) {
  const { base } = useAccount();
  const { number } = props;
  const navigate = useNavigate();
  const customers = useCustomerChoices();
  const [customer, setCustomer] = useState("");
  const buy = useAct(
    (phone: string, { api, idempotencyKey }) =>
      api.numbers.create(
        { phone_number: phone, ...(customer === "" ? {} : { customer_id: customer }) },
        { idempotencyKey },
      ),
    {
      stale: ["numbers", "available", "home"],
      onDone: (bought) => {
        toast(`${formatPhone(bought.phone_number)} is yours.`);
        void navigate({ to: `${base}/numbers/${bought.phone_number}`, search: {} } as never);
      },
    },
  );
  if (!number) return null;
  const price = number.monthly_price;
  return (
    <FormDialog
      title={`Buy ${formatPhone(number.phone_number)}?`}
      isOpen
      onClose={props.onClose}
      onSubmit={() => buy.mutate(number.phone_number)}
      submit={price === 0 ? "Buy · free" : `Buy · ${formatUsd(price)} a month`}
      busy={buy.isPending}
      error={buy.error}
    >
      <Facts
        facts={[
          { name: "Place", value: localityOf(number) },
          {
            name: "Price",
            value: price === 0 ? "Free in the sandbox" : `${formatUsd(price)} now and each month`,
          },
        ]}
      />
      {customers.length > 0 && (
        <SelectField
          label="Customer"
          optional
          blank="Not assigned"
          help="A label and pools are set on the number's page, which opens next."
          value={customer}
          choices={customers}
          onChange={(event) => setCustomer(event.target.value)}
        />
      )}
    </FormDialog>
  );
}
