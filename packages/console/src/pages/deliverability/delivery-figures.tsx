import type { Deliverability, DeliveryCounts } from "@longwave/sdk";
import { StackedBars } from "../../ui/chart.tsx";
import { formatCount, formatPercent } from "../../ui/format.ts";
import { Tiles } from "../../ui/tiles.tsx";
import { useOpenMessages } from "../messages/use-open-messages.ts";
import { hourBuckets } from "../verify/hours.ts";

const SERIES = [
  { name: "Delivered", color: "--c-delivered" },
  { name: "On their way", color: "--c-sent" },
  { name: "Failed", color: "--c-failed" },
];

export function rateOf({ delivery_rate: rate }: DeliveryCounts): string {
  return rate === null ? "–" : formatPercent(rate);
}

export function DeliveryFigures(props: { totals: DeliveryCounts }) {
  const { totals } = props;
  return (
    <Tiles
      tiles={[
        { name: "Delivered", value: rateOf(totals), note: "of completed" },
        { name: "Sent", value: formatCount(totals.sent), note: "accepted by carriers" },
        { name: "On their way", value: formatCount(totals.pending), note: "awaiting receipt" },
        { name: "Failed", value: formatCount(totals.failed), note: "refused or not delivered" },
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
