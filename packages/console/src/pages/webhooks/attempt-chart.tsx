import { useAccount } from "../../api/account.tsx";
import { consoleCall } from "../../api/client.ts";
import { useRead } from "../../api/queries.ts";
import { Loaded } from "../../lists/loaded.tsx";
import { StackedBars } from "../../ui/chart.tsx";
import { Segmented } from "../../ui/field.tsx";
import { Card } from "../../ui/page.tsx";
import { useFilters } from "../../ui/search-params.ts";
import { hourBuckets, hoursOfSpan } from "../verify/hours.ts";

interface Attempts {
  /** Only the newest attempts were counted. */
  readonly is_partial: boolean;
  readonly data: readonly {
    readonly hour: string;
    readonly delivered: number;
    readonly failed: number;
  }[];
}

const SERIES = [
  { name: "Delivered", color: "--c-delivered" },
  { name: "Failed", color: "--c-failed" },
];
const SPANS = [
  { value: "24", label: "24 h" },
  { value: "168", label: "7 days" },
  { value: "720", label: "30 days" },
] as const;
const REFETCH_MS = 15_000;
const CHART_PX = 120;

/** Attempts at an endpoint over time; a bar narrows the list below to its hour or day. */
export function AttemptChart(props: { endpointId: string }) {
  const { endpointId } = props;
  const { scope } = useAccount();
  const [search, set] = useFilters();
  const span = SPANS.find((each) => each.value === search["hours"])?.value ?? "24";
  const hours = hoursOfSpan(Number(span));
  const path = `/${scope.join("/")}/webhooks/${endpointId}/attempts?hours=${hours}`;
  const counted = useRead(
    ["deliveries", endpointId, "chart", hours],
    (_, signal) => consoleCall<Attempts>(path, { signal }),
    { refetchMs: REFETCH_MS },
  );
  return (
    <Card
      title="Attempts over time"
      aside={
        <Segmented
          label="Time of the chart"
          value={span}
          choices={SPANS}
          onChange={(value) => set({ hours: value === "24" ? undefined : value })}
        />
      }
    >
      <Loaded query={counted}>
        {({ data, is_partial }) => (
          <div className="stack-tight">
            <StackedBars
              label="Attempts"
              height={CHART_PX}
              series={SERIES}
              buckets={hourBuckets(data.length, data, (row) =>
                row ? [row.delivered, row.failed] : [0, 0],
              )}
              onPick={({ from, until }) =>
                set({ created_after: from, created_before: until ?? undefined }, "asStep")
              }
            />
            {is_partial && <p className="meta">Of the newest 100,000 attempts.</p>}
          </div>
        )}
      </Loaded>
    </Card>
  );
}
