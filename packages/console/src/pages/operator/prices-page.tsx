import { PRICE_ITEMS } from "@longwave/contract/tables";
import type { Price } from "@longwave/sdk";
import { useState } from "react";
import { useAccount } from "../../api/account.tsx";
import { useAct } from "../../api/queries.ts";
import { serverMs } from "../../clock.ts";
import { FilterBar, type FilterSpec } from "../../lists/filter-bar.tsx";
import { type Column, List } from "../../lists/list.tsx";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { Empty } from "../../ui/empty.tsx";
import { formatPrice } from "../../ui/format.ts";
import { Page } from "../../ui/page.tsx";
import { useFilters, usePicked } from "../../ui/search-params.ts";
import { Badge } from "../../ui/status.tsx";
import { toast } from "../../ui/toast.tsx";
import { Time } from "../../ui/values.tsx";
import { PriceDialog } from "./price-dialog.tsx";
import { BASIS_WORDS, ITEM_WORDS, TYPE_WORDS } from "./price-words.ts";

const PAGE_ITEMS = 100;
const FILTERS: readonly FilterSpec[] = [
  {
    name: "item",
    label: "Any item",
    kind: "choice",
    choices: PRICE_ITEMS.map((value) => ({ value, label: ITEM_WORDS[value] })),
  },
];

function appliesTo({ country, number_type }: Price): string {
  const words = [country, number_type === null ? null : TYPE_WORDS[number_type]];
  return words.filter(Boolean).join(", ") || "Everything else";
}

function madeOf(price: Price): string {
  if (price.basis === "fixed") return BASIS_WORDS.fixed;
  const margins = [
    price.margin_percent > 0 ? `${price.margin_percent} %` : null,
    price.margin_usd > 0 ? formatPrice(price.margin_usd) : null,
  ].filter(Boolean);
  return ["Cost", ...margins].join(" + ");
}

function stateOf(price: Price): { tone: "green" | "blue" | "grey"; word: string } {
  if (price.in_force) return { tone: "green", word: "In force" };
  if (price.ended_at !== null) return { tone: "grey", word: "Ended" };
  if (Date.parse(price.effective_from) > serverMs()) return { tone: "blue", word: "Later" };
  return { tone: "grey", word: "Replaced" };
}

function columnsOf(onEnd: (price: Price) => void): readonly Column<Price>[] {
  return [
    {
      name: "Item",
      width: "minmax(130px, 1fr)",
      cell: (row) => <span className="strong">{ITEM_WORDS[row.item]}</span>,
    },
    { name: "Applies to", width: "150px", wideOnly: true, cell: appliesTo },
    { name: "Price", width: "100px", right: true, cell: (row) => formatPrice(row.price_usd) },
    { name: "Made of", width: "150px", wideOnly: true, cell: madeOf },
    {
      name: "Note",
      width: "minmax(100px, 1fr)",
      wideOnly: true,
      cell: (row) => <span className="muted">{row.note ?? "–"}</span>,
    },
    {
      name: "State",
      width: "100px",
      cell: (row) => {
        const { tone, word } = stateOf(row);
        return <Badge tone={tone} word={word} />;
      },
    },
    {
      name: "From",
      width: "112px",
      right: true,
      wideOnly: true,
      cell: (row) => <Time at={row.effective_from} />,
    },
    {
      name: "",
      width: "76px",
      right: true,
      cell: (row) =>
        row.ended_at === null && (
          <Button size="small" onClick={() => onEnd(row)}>
            End
          </Button>
        ),
    },
  ];
}

/** The installation's price table. */
export function PricesPage() {
  const { api } = useAccount();
  const [search] = useFilters();
  const query = usePicked(search, ["item"]);
  const [isSetting, setIsSetting] = useState(false);
  const [chosen, setChosen] = useState<Price | null>(null);
  const end = useAct((price: Price, context) => context.api.operator.prices.delete(price.id), {
    stale: ["op-prices"],
    onDone: () => {
      setChosen(null);
      toast("Ended. The next more general price applies.");
    },
  });
  const set = (
    <Button kind="primary" icon="plus" onClick={() => setIsSetting(true)}>
      Set a price
    </Button>
  );
  return (
    <Page
      title="Prices"
      about="Prices of accounts. A price for a country comes before one for a number type, and that before a general one."
      actions={set}
    >
      <FilterBar filters={FILTERS} />
      <List
        label="Prices"
        source={{
          key: ["op-prices", query],
          pageItems: PAGE_ITEMS,
          fetch: (cursor, signal) =>
            api.operator.prices.list(
              { ...(query as object), limit: PAGE_ITEMS, cursor },
              { signal },
            ),
        }}
        columns={columnsOf(setChosen)}
        empty={
          <Empty icon="card" title="The usual prices apply" action={set}>
            $0.009 a message sent, $0.004 received, $0.95 a number and month, $0.025 a verification
            and $4.00 a registration, unless the settings say otherwise.
          </Empty>
        }
      />
      {isSetting && <PriceDialog onClose={() => setIsSetting(false)} />}
      <Confirm
        title={`End the price of ${chosen ? formatPrice(chosen.price_usd) : ""}?`}
        isOpen={chosen !== null}
        onClose={() => setChosen(null)}
        onConfirm={() => chosen && end.mutate(chosen)}
        action="End the price"
        busy={end.isPending}
        error={end.error}
      >
        From now on the next more general price applies. What was accepted before keeps its price.
      </Confirm>
    </Page>
  );
}
