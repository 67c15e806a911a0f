import { FREE_TEXTS_PER_MONTH, FREE_VERIFICATIONS_PER_MONTH } from "@longwave/contract/tables";
import type { Account, Usage } from "@longwave/sdk";
import { useAccount } from "../../api/account.tsx";
import { useRead } from "../../api/queries.ts";
import { serverMs } from "../../clock.ts";
import { Loaded } from "../../lists/loaded.tsx";
import { Bars, StackedBars } from "../../ui/chart.tsx";
import { Segmented } from "../../ui/field.tsx";
import { formatCount, formatUsd } from "../../ui/format.ts";
import { Card, Page } from "../../ui/page.tsx";
import { useFilters } from "../../ui/search-params.ts";
import { Table } from "../../ui/table.tsx";
import { Tiles } from "../../ui/tiles.tsx";
import { Time } from "../../ui/values.tsx";
import { dayBuckets } from "../customers/days.ts";
import { Ledger } from "./ledger-card.tsx";
import { SpendLimitCard } from "./spend-limit-card.tsx";

const SERIES = [
  { name: "Sent", color: "--c-sent" },
  { name: "Received", color: "--c-received" },
  { name: "Verifications", color: "--c-delivered" },
];
const DAYS = ["7", "30", "90"] as const;
type Days = (typeof DAYS)[number];
const DAY_MS = 86_400_000;

export function BillingPage() {
  const { mode } = useAccount();
  const account = useRead(["account"], (api, signal) => api.account.get({ signal }));
  const [search, set] = useFilters();
  const days = (DAYS.find((each) => each === search["days"]) ?? "30") satisfies Days;
  const usage = useRead(["usage", days], (api, signal) =>
    api.usage.get({ created_after: startOf(Number(days)) }, { signal }),
  );
  return (
    <Page
      title="Usage and billing"
      about={
        mode === "test"
          ? "The sandbox is free: its traffic is counted and costs nothing."
          : "Cost of live traffic, and the limit of a month."
      }
    >
      <div className="stack-wide">
        <Loaded query={account}>{(value) => <Money account={value} />}</Loaded>
        <div className="halves">
          <SpendLimitCard />
          <Loaded query={account}>{(value) => <Allowance account={value} />}</Loaded>
        </div>
        <Card
          title="Usage by day (UTC)"
          aside={
            <Segmented
              label="How many days"
              value={days}
              choices={DAYS.map((value) => ({ value, label: `${value} days` }))}
              onChange={(value) => set({ days: value === "30" ? undefined : value })}
            />
          }
        >
          <Loaded query={usage}>{(value) => <UsageByDay usage={value} />}</Loaded>
        </Card>
        <Ledger />
      </div>
    </Page>
  );
}

function startOf(days: number): string {
  const today = Math.floor(serverMs() / DAY_MS) * DAY_MS;
  return new Date(today - (days - 1) * DAY_MS).toISOString();
}

function Money(props: { account: Account }) {
  const { account } = props;
  const { free_allowance: free } = account;
  return (
    <Tiles
      tiles={[
        {
          name: "Balance",
          value: formatUsd(account.balance_usd),
          note: "Prepaid. The operator adds credit.",
        },
        { name: "Free texts left", value: formatCount(free.texts_left), note: "this month" },
        {
          name: "Free verifications left",
          value: formatCount(free.verifications_left),
          note: "this month",
        },
      ]}
    />
  );
}

function Allowance(props: { account: Account }) {
  const { free_allowance: free } = props.account;
  const rows = [
    { key: "texts", name: "Texts", left: free.texts_left, of: FREE_TEXTS_PER_MONTH },
    {
      key: "codes",
      name: "Verifications",
      left: free.verifications_left,
      of: FREE_VERIFICATIONS_PER_MONTH,
    },
  ];
  return (
    <Card
      title="Free this month"
      foot={
        <span>
          Renewed <Time at={free.resets_at} />
        </span>
      }
    >
      <Bars
        color="--c-delivered"
        max={100}
        bars={rows.map((row) => ({
          key: row.key,
          name: row.name,
          value: (row.left / row.of) * 100,
          shown: `${formatCount(row.left)} of ${formatCount(row.of)} left`,
        }))}
      />
    </Card>
  );
}

const KINDS = [
  ["outbound", "Texts sent"],
  ["inbound", "Texts received"],
  ["verifications", "Verifications"],
] as const;

function UsageByDay(props: { usage: Usage }) {
  const { usage } = props;
  const rows = KINDS.map(([kind, name]) => ({ kind, name, ...usage.totals[kind] }));
  return (
    <div className="stack">
      <StackedBars label="Usage by day" series={SERIES} buckets={dayBuckets(usage)} />
      <Table
        label="Usage in all"
        bare
        rows={rows}
        keyOf={(row) => row.kind}
        columns={[
          { name: "Item", cell: (row) => row.name },
          { name: "Count", right: true, cell: (row) => formatCount(row.count) },
          { name: "Cost", right: true, cell: (row) => formatUsd(row.cost_usd) },
        ]}
      />
    </div>
  );
}
