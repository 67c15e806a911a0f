import type { Page as ListPage } from "@longwave/sdk";
import { useAccount } from "../../api/account.tsx";
import { consoleCall } from "../../api/client.ts";
import { type Column, List } from "../../lists/list.tsx";
import { Empty } from "../../ui/empty.tsx";
import { formatUsd } from "../../ui/format.ts";
import { stringifySearch } from "../../ui/search-params.ts";
import { Time } from "../../ui/values.tsx";

const PAGE_ITEMS = 50;

/** Answer of `/console/v1/{account}/ledger`. */
interface LedgerEntry {
  readonly id: string;
  readonly kind: "credit" | "verification" | "number_month" | "registration";
  readonly amount_usd: number;
  readonly note: string | null;
  readonly created_at: string;
}

const KINDS: Readonly<Record<LedgerEntry["kind"], string>> = {
  credit: "Credit",
  verification: "Verification",
  number_month: "Number rental",
  registration: "Registration",
};

const COLUMNS: readonly Column<LedgerEntry>[] = [
  {
    name: "Entry",
    width: "minmax(120px, 200px)",
    cell: (row) => <span className="strong">{KINDS[row.kind]}</span>,
  },
  {
    name: "Note",
    width: "minmax(100px, 1fr)",
    wideOnly: true,
    cell: (row) => <span className="muted">{row.note ?? "–"}</span>,
  },
  {
    name: "When",
    width: "112px",
    right: true,
    wideOnly: true,
    cell: (row) => <Time at={row.created_at} />,
  },
  {
    name: "Amount",
    width: "110px",
    right: true,
    cell: (row) => (
      <span className="tabular" data-tone={row.amount_usd > 0 ? "green" : undefined}>
        {row.amount_usd > 0 ? "+" : ""}
        {formatUsd(row.amount_usd)}
      </span>
    ),
  },
];

/** Changes of the balance other than messages, which the usage sums up by day. */
export function Ledger() {
  const { account } = useAccount();
  return (
    <div className="stack">
      <div>
        <h2>Ledger</h2>
        <p className="muted">Changes of the balance. Texts are added up by day above.</p>
      </div>
      <List
        label="Ledger"
        source={{
          key: ["ledger"],
          pageItems: PAGE_ITEMS,
          fetch: (cursor, signal) =>
            consoleCall<ListPage<LedgerEntry>>(
              `/${account.id}/ledger${stringifySearch({ limit: PAGE_ITEMS, cursor })}`,
              { signal },
            ),
        }}
        columns={COLUMNS}
        empty={
          <Empty icon="card" title="Nothing yet">
            Credits, numbers, verifications and registrations of the live account appear here.
          </Empty>
        }
      />
    </div>
  );
}
