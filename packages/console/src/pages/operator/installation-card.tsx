import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { consoleCall } from "../../api/client.ts";
import { Loaded } from "../../lists/loaded.tsx";
import { Button } from "../../ui/button.tsx";
import { Bars, StackedBars } from "../../ui/chart.tsx";
import { Segmented } from "../../ui/field.tsx";
import { formatBytes, formatCount, formatHour, formatPercent } from "../../ui/format.ts";
import { Card } from "../../ui/page.tsx";
import { stringifySearch, useFilters } from "../../ui/search-params.ts";
import { Tiles } from "../../ui/tiles.tsx";

interface Tally {
  readonly sent: number;
  readonly delivered: number;
  readonly undelivered: number;
  readonly refused: number;
}

interface Traffic {
  readonly series: readonly (Tally & { readonly hour: string })[];
  readonly busiest: readonly (Tally & {
    readonly account: { readonly id: string; readonly name: string | null };
  })[];
}

interface Installation {
  readonly live: Traffic;
  readonly test: Traffic;
  readonly waiting: Readonly<Record<"messages" | "webhooks" | "jobs", number>>;
  readonly disk: {
    readonly database_bytes: number;
    /** null where the database is on another machine. */
    readonly free_bytes: number | null;
    readonly total_bytes: number | null;
  };
}

const REFETCH_MS = 15_000;
/** Counting stops there. */
const WAITING_COUNTED_MAX = 10_000;
const SERIES = [
  { name: "Delivered", color: "--c-delivered" },
  { name: "On their way", color: "--c-sent" },
  { name: "Failed", color: "--c-failed" },
];
const MODES = [
  { value: "live", label: "Live" },
  { value: "test", label: "Sandbox" },
] as const;

/** Traffic, waiting work, disk and the busiest accounts of the last 24 hours. */
export function InstallationCard() {
  const [search, set] = useFilters();
  const mode = search["mode"] === "test" ? "test" : "live";
  const hour = search["hour"];
  const installation = useQuery({
    queryKey: ["installation", hour],
    queryFn: ({ signal }) =>
      consoleCall<Installation>(`/installation${stringifySearch({ hour })}`, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: REFETCH_MS,
  });
  return (
    <>
      <Loaded query={installation} skeletonLines={2}>
        {(value) => <Figures installation={value} traffic={value[mode]} />}
      </Loaded>
      <div className="columns">
        <Card
          title="Traffic of all accounts, 24 hours"
          aside={
            <Segmented
              label="Mode"
              value={mode}
              choices={MODES}
              onChange={(value) => set({ mode: value === "live" ? undefined : value })}
            />
          }
        >
          <Loaded query={installation}>
            {(value) => (
              <Chart
                traffic={value[mode]}
                onPick={(from) => set({ hour: from === hour ? undefined : from })}
              />
            )}
          </Loaded>
        </Card>
        <Card
          title={
            hour === undefined ? "Busiest accounts" : `Busiest accounts at ${formatHour(hour)}`
          }
          aside={
            hour !== undefined && (
              <Button kind="ghost" size="small" icon="x" onClick={() => set({ hour: undefined })}>
                All 24 hours
              </Button>
            )
          }
        >
          <Loaded query={installation} skeletonLines={3}>
            {(value) => <Busiest traffic={value[mode]} />}
          </Loaded>
        </Card>
      </div>
    </>
  );
}

function Figures(props: { installation: Installation; traffic: Traffic }) {
  const { waiting, disk } = props.installation;
  const { series } = props.traffic;
  const sum = (field: keyof Tally) => series.reduce((total, row) => total + row[field], 0);
  const failed = sum("undelivered") + sum("refused");
  const decided = sum("delivered") + failed;
  return (
    <Tiles
      tiles={[
        { name: "Sent", value: formatCount(sum("sent")), note: "in 24 hours" },
        {
          name: "Failed",
          value: decided === 0 ? "–" : formatPercent(failed / decided),
          note: `${formatCount(failed)} of ${formatCount(decided)}`,
        },
        {
          name: "Waiting messages",
          value: waitingWords(waiting.messages),
          note: `Webhooks ${waitingWords(waiting.webhooks)}, jobs ${waitingWords(waiting.jobs)}`,
        },
        {
          name: "Database",
          value: formatBytes(disk.database_bytes),
          note:
            disk.free_bytes === null || disk.total_bytes === null
              ? "on its own machine"
              : `${formatBytes(disk.free_bytes)} of ${formatBytes(disk.total_bytes)} free`,
        },
      ]}
    />
  );
}

function waitingWords(count: number): string {
  return count >= WAITING_COUNTED_MAX ? `${formatCount(WAITING_COUNTED_MAX)}+` : formatCount(count);
}

function failedOf({ undelivered, refused }: Tally): number {
  return undelivered + refused;
}

/** A bar shows the accounts of its hour. */
function Chart(props: { traffic: Traffic; onPick: (hour: string | undefined) => void }) {
  const buckets = props.traffic.series.map((row) => ({
    label: formatHour(row.hour),
    from: row.hour,
    values: [row.delivered, Math.max(0, row.sent - row.delivered - row.undelivered), failedOf(row)],
  }));
  return (
    <StackedBars
      label="Messages of all accounts"
      series={SERIES}
      buckets={buckets}
      onPick={({ from }) => props.onPick(from)}
    />
  );
}

function Busiest(props: { traffic: Traffic }) {
  const { busiest } = props.traffic;
  if (busiest.length === 0) return <p className="muted">No account sent anything.</p>;
  return (
    <Bars
      color="--c-delivered"
      bars={busiest.map((row) => ({
        key: row.account.id,
        name: row.account.name ?? row.account.id,
        value: row.sent,
        shown: `${formatCount(row.sent)} · ${formatCount(failedOf(row))} failed`,
        link: { to: `/op/accounts/${row.account.id}`, search: {} },
      }))}
    />
  );
}
