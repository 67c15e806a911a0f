import type { Deliverability, DeliveryCounts } from "@longwave/sdk";
import { StackedBars } from "../../ui/chart.tsx";
import { formatCount, formatPercent } from "../../ui/format.ts";
import { Tiles } from "../../ui/tiles.tsx";
import { useOpenMessages } from "../messages/use-open-messages.ts";
import { hourBuckets } from "../verify/hours.ts";
import { type Before, changeOf, rateChangeOf, useBefore } from "./before.ts";

const SERIES = [
  { name: "Delivered", color: "--c-delivered" },
  { name: "On their way", color: "--c-sent" },
  { name: "Failed", color: "--c-failed" },
];

export function rateOf({ delivery_rate: rate }: DeliveryCounts): string {
  return rate === null ? "–" : formatPercent(rate);
}

/** Figures of the whole account, compared with the period before. */
export function ComparedFigures(props: { counted: Deliverability }) {
  return <DeliveryFigures totals={props.counted.totals} before={useBefore(props.counted)} />;
}

export function DeliveryFigures(props: { totals: DeliveryCounts; before?: Before | null }) {
  const { totals, before } = props;
  const rateChange = before ? rateChangeOf(totals, before) : null;
  return (
    <Tiles
      tiles={[
        { name: "Delivered", value: rateOf(totals), note: rateChange ?? "of completed" },
        {
          name: "Sent",
          value: formatCount(totals.sent),
          note: before ? changeOf(totals.sent, before.sent) : "accepted by carriers",
        },
        { name: "On their way", value: formatCount(totals.pending), note: "awaiting receipt" },
        {
          name: "Failed",
          value: formatCount(totals.failed),
          note: before ? changeOf(totals.failed, before.failed) : "refused or not delivered",
        },
      ]}
    />
  );
}

export function DeliveryChart(props: { counted: Deliverability }) {
  const { hours, series, created_before: end } = props.counted;
  const buckets = hourBuckets(
    hours,
    series,
    (row) => (row ? [row.delivered, row.pending, row.failed] : [0, 0, 0]),
    // The hours are on the server's clock, not the browser's.
    Date.parse(end) - 1,
  );
  const openMessages = useOpenMessages();
  return (
    <StackedBars label="Messages sent" series={SERIES} buckets={buckets} onPick={openMessages} />
  );
}
