import { NAME_CHARS_MAX } from "@longwave/contract/tables";
import type { AvailableNumber } from "@longwave/sdk";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useAccount } from "../../api/account.tsx";
import { type ActContext, useAct } from "../../api/queries.ts";
import { useHasBilling } from "../../api/session.ts";
import { FilterBar, type FilterSpec } from "../../lists/filter-bar.tsx";
import { type Column, List } from "../../lists/list.tsx";
import { Button } from "../../ui/button.tsx";
import { FormDialog } from "../../ui/dialog.tsx";
import { Empty } from "../../ui/empty.tsx";
import { SelectField, TextField } from "../../ui/field.tsx";
import { formatPhone, formatUsd } from "../../ui/format.ts";
import { Facts, Page } from "../../ui/page.tsx";
import { messageOf } from "../../ui/problem.tsx";
import { useFilters, usePicked } from "../../ui/search-params.ts";
import { toast } from "../../ui/toast.tsx";
import { Money, Phone } from "../../ui/values.tsx";
import { useCustomerChoices } from "../customers/use-customer-names.ts";
import { usePoolChoices } from "../pools/use-pool-choices.ts";
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
  const hasBilling = useHasBilling();
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
        mode === "test"
          ? "Test numbers are fictional."
          : hasBilling && "Charged now and each month."
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
      {chosen && <BuyDialog number={chosen} onClose={() => setChosen(null)} />}
    </Page>
  );
}

interface Purchase {
  readonly phone: string;
  readonly customer: string;
  readonly label: string;
  readonly pool: string;
}

/** Buys the number, then labels it and puts it into a pool. The purchase stands if those fail. */
async function buyAndAssign(purchase: Purchase, { api, idempotencyKey }: ActContext) {
  const { phone, customer, label, pool } = purchase;
  const bought = await api.numbers.create(
    { phone_number: phone, ...(customer === "" ? {} : { customer_id: customer }) },
    { idempotencyKey },
  );
  try {
    if (label !== "") {
      const { customer_id } = bought;
      await api.numbers.update(bought.phone_number, { customer_id, label });
    }
    if (pool !== "") {
      const { numbers } = await api.pools.get(pool);
      await api.pools.update(pool, { numbers: [...numbers, bought.phone_number] });
    }
    return { bought, missing: null };
  } catch (error) {
    return { bought, missing: error };
  }
}

function BuyDialog(props: { number: AvailableNumber; onClose: () => void }) {
  const { base } = useAccount();
  const { number } = props;
  const navigate = useNavigate();
  const customers = useCustomerChoices();
  const pools = usePoolChoices();
  const hasBilling = useHasBilling();
  const [customer, setCustomer] = useState("");
  const [label, setLabel] = useState("");
  const [pool, setPool] = useState("");
  const buy = useAct(
    (phone: string, context) =>
      buyAndAssign({ phone, customer, label: label.trim(), pool }, context),
    {
      stale: ["numbers", "available", "home", "pools"],
      onDone: ({ bought, missing }) => {
        const phone = formatPhone(bought.phone_number);
        if (missing === null) toast(`${phone} is yours.`);
        else toast(`${phone} is yours, without label or pool: ${messageOf(missing)}`);
        void navigate({ to: `${base}/numbers/${bought.phone_number}`, search: {} } as never);
      },
    },
  );
  const price = number.monthly_price;
  const priceWords = price === 0 ? "free" : `${formatUsd(price)} a month`;
  return (
    <FormDialog
      title={`Buy ${formatPhone(number.phone_number)}?`}
      isOpen
      onClose={props.onClose}
      onSubmit={() => buy.mutate(number.phone_number)}
      submit={hasBilling ? `Buy · ${priceWords}` : "Buy"}
      busy={buy.isPending}
      error={buy.error}
    >
      <Facts
        facts={[
          { name: "Place", value: localityOf(number) },
          hasBilling
            ? {
                name: "Price",
                value: price === 0 ? "Free" : `${formatUsd(price)} now and each month`,
              }
            : null,
        ]}
      />
      <TextField
        label="Label"
        optional
        placeholder="Front desk"
        maxLength={NAME_CHARS_MAX}
        value={label}
        onChange={(event) => setLabel(event.target.value)}
      />
      {pools.length > 0 && (
        <SelectField
          label="Sender pool"
          optional
          blank="None"
          value={pool}
          choices={pools}
          onChange={(event) => setPool(event.target.value)}
        />
      )}
      {customers.length > 0 && (
        <SelectField
          label="Customer"
          optional
          blank="Not assigned"
          value={customer}
          choices={customers}
          onChange={(event) => setCustomer(event.target.value)}
        />
      )}
    </FormDialog>
  );
}
