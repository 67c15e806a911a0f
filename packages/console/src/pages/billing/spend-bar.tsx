import type { SpendLimit } from "@longwave/sdk";
import { Progress } from "../../ui/chart.tsx";
import { formatUsd } from "../../ui/format.ts";

/** Spend of the month: billed, reserved for messages in flight, and the limit. */
export function SpendBar(props: { limit: SpendLimit }) {
  const { spent_usd: spent, reserved_usd: reserved, monthly_limit_usd: limit } = props.limit;
  return (
    <div className="stack-tight">
      <div className="row-apart">
        <span className="figure">{formatUsd(spent)}</span>
        <span className="muted">{limit === null ? "no limit" : `of ${formatUsd(limit)}`}</span>
      </div>
      {limit !== null && (
        <Progress
          label="Spent this month"
          total={limit}
          parts={[
            { name: "Spent", value: spent, color: "--c-sent" },
            { name: "On their way", value: reserved, color: "--c-queued" },
          ]}
        />
      )}
      <span className="meta">
        {reserved > 0 ? `${formatUsd(reserved)} reserved for texts on their way.` : "This month."}
      </span>
    </div>
  );
}
