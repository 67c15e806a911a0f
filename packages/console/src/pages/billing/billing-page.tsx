import { FREE_TEXTS_PER_MONTH, FREE_VERIFICATIONS_PER_MONTH } from "@longwave/contract/tables";
import type { Account } from "@longwave/sdk";
import { useAccount } from "../../api/account.tsx";
import { useRead } from "../../api/queries.ts";
import { Loaded } from "../../lists/loaded.tsx";
import { Bars } from "../../ui/chart.tsx";
import { formatCount, formatUsd } from "../../ui/format.ts";
import { Card, Page } from "../../ui/page.tsx";
import { Tiles } from "../../ui/tiles.tsx";
import { Time } from "../../ui/values.tsx";
import { Ledger } from "./ledger-card.tsx";
import { SpendLimitCard } from "./spend-limit-card.tsx";
import { UsageCard } from "./usage-card.tsx";

export function BillingPage() {
  const { mode } = useAccount();
  return (
    <Page
      title="Usage and billing"
      about={
        mode === "test"
          ? "The sandbox is free: its traffic is counted and costs nothing. Balance, spend limit and ledger are in Live."
          : "Cost of live traffic, and the limit of a month."
      }
    >
      <div className="stack-wide">
        {mode === "live" && <LiveMoney />}
        <UsageCard />
        {mode === "live" && <Ledger />}
      </div>
    </Page>
  );
}

function LiveMoney() {
  const account = useRead(["account"], (api, signal) => api.account.get({ signal }));
  return (
    <>
      <Loaded query={account}>{(value) => <Money account={value} />}</Loaded>
      <div className="halves">
        <SpendLimitCard />
        <Loaded query={account}>{(value) => <Allowance account={value} />}</Loaded>
      </div>
    </>
  );
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
