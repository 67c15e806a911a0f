import type { Deliverability } from "@longwave/sdk";
import { useAccount } from "../../api/account.tsx";
import { useRead } from "../../api/queries.ts";
import { useHasBilling } from "../../api/session.ts";
import { Loaded } from "../../lists/loaded.tsx";
import { Bars, type Bucket, StackedBars } from "../../ui/chart.tsx";
import { Segmented } from "../../ui/field.tsx";
import { formatCount, formatPercent, formatPhone, plural } from "../../ui/format.ts";
import { Card } from "../../ui/page.tsx";
import { useFilters } from "../../ui/search-params.ts";
import { Sparkline } from "../../ui/sparkline.tsx";
import { Tiles } from "../../ui/tiles.tsx";
import { changeOf, useBefore } from "../deliverability/before.ts";
import { useOpenMessages } from "../messages/use-open-messages.ts";
import { hourBuckets, hoursOfSpan } from "../verify/hours.ts";
import { Failures } from "./failures.tsx";
import { SpendTile } from "./spend-tile.tsx";

const SPANS = [
  { value: "24", label: "24 h" },
  { value: "168", label: "7 days" },
  { value: "720", label: "30 days" },
] as const;
type Span = (typeof SPANS)[number]["value"];

const SERIES = [
  { name: "Delivered", color: "--c-delivered" },
  { name: "On their way", color: "--c-sent" },
  { name: "Failed", color: "--c-failed" },
];
const NUMBERS_SHOWN = 5;
const REFETCH_MS = 30_000;

/** Sent and delivered messages, and the numbers they left from. */
export function Traffic() {
  const [search, set] = useFilters();
  const span: Span = SPANS.find((each) => each.value === search["hours"])?.value ?? "24";
  const counted = useRead(
    ["home", "deliverability", span],
    (api, signal) => api.deliverability.get({ hours: hoursOfSpan(Number(span)) }, { signal }),
    { refetchMs: REFETCH_MS },
  );
  return (
    <>
      <Loaded query={counted} skeletonLines={2}>
        {(value) => <Figures counted={value} span={Number(span)} />}
      </Loaded>
      <div className="columns">
        <Card
          title="Traffic"
          aside={
            <Segmented
              label="How far back"
              value={span}
              choices={SPANS}
              onChange={(value) => set({ hours: value === "24" ? undefined : value })}
            />
          }
        >
          <Loaded query={counted}>{(value) => <Chart counted={value} />}</Loaded>
        </Card>
        <div className="stack-wide">
          <Card title="By number">
            <Loaded query={counted} skeletonLines={3}>
              {(value) => <ByNumber counted={value} />}
            </Loaded>
          </Card>
          {counted.data && counted.data.totals.failed > 0 && (
            <Failures since={counted.data.created_after} />
          )}
        </div>
      </div>
    </>
  );
}

function Figures(props: { counted: Deliverability; span: number }) {
  const { totals, hours, series, created_before: end } = props.counted;
  const since = props.span <= 24 ? "in 24 hours" : `in ${props.span / 24} days`;
  const before = useBefore(props.counted);
  const hasBilling = useHasBilling();
  return (
    <Tiles
      tiles={[
        {
          name: "Sent",
          value: formatCount(totals.sent),
          note: (
            <>
              {since}
              {before !== null && ` · ${changeOf(totals.sent, before.sent)}`}
              <Sparkline
                label={`Texts ${since}, oldest first`}
                values={hourBuckets(hours, series, (row) => [row?.sent ?? 0], lastMs(end)).map(
                  sentOf,
                )}
                color="--c-sent"
              />
            </>
          ),
        },
        {
          name: "Delivered",
          value: totals.delivery_rate === null ? "–" : formatPercent(totals.delivery_rate),
          note: plural(totals.delivered, "message"),
        },
        {
          name: "Failed",
          value: formatCount(totals.failed),
          note: [
            totals.pending > 0 ? `${formatCount(totals.pending)} on their way` : since,
            before !== null && changeOf(totals.failed, before.failed),
          ]
            .filter(Boolean)
            .join(" · "),
        },
        ...(hasBilling ? [{ name: "Spent this month", value: <SpendTile /> }] : []),
      ]}
    />
  );
}

/** The window's last moment, by the server's clock. */
function lastMs(createdBefore: string): number {
  return Date.parse(createdBefore) - 1;
}

function sentOf({ values: [sent = 0] }: Bucket): number {
  return sent;
}

function Chart(props: { counted: Deliverability }) {
  const { hours, series, created_before: end } = props.counted;
  const openMessages = useOpenMessages();
  const buckets = hourBuckets(
    hours,
    series,
    (row) => (row ? [row.delivered, row.pending, row.failed] : [0, 0, 0]),
    lastMs(end),
  );
  return (
    <StackedBars label="Messages sent" series={SERIES} buckets={buckets} onPick={openMessages} />
  );
}

function ByNumber(props: { counted: Deliverability }) {
  const { base } = useAccount();
  const { created_after } = props.counted;
  const rows = props.counted.by_number.slice(0, NUMBERS_SHOWN);
  if (rows.length === 0) return <p className="muted">Nothing was sent in this time.</p>;
  return (
    <Bars
      color="--c-delivered"
      bars={rows.map((row) => ({
        key: row.phone_number,
        name: formatPhone(row.phone_number),
        value: row.sent,
        link: {
          to: `${base}/messages`,
          search: { number: row.phone_number, direction: "outbound", created_after },
        },
        shown:
          row.delivery_rate === null
            ? formatCount(row.sent)
            : `${formatCount(row.sent)} · ${formatPercent(row.delivery_rate)}`,
      }))}
    />
  );
}
