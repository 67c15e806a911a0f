import type { DeliveryCounts } from "@longwave/sdk";
import { useAccount } from "../../api/account.tsx";
import { useRead } from "../../api/queries.ts";
import { Loaded } from "../../lists/loaded.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Segmented } from "../../ui/field.tsx";
import { formatCount, formatPhone } from "../../ui/format.ts";
import { Card, Page } from "../../ui/page.tsx";
import { useFilters } from "../../ui/search-params.ts";
import { Table, type TableColumn } from "../../ui/table.tsx";
import { hoursOfSpan } from "../verify/hours.ts";
import { DeliveryAlarms } from "./delivery-alarms.tsx";
import { ComparedFigures, DeliveryChart, rateOf } from "./delivery-figures.tsx";
import { CarrierBars, ReasonBars } from "./failure-bars.tsx";
import { useFailures } from "./use-failures.ts";

const SPANS = [
  { value: "24", label: "24 h" },
  { value: "168", label: "7 days" },
  { value: "720", label: "30 days" },
] as const;
const REFETCH_MS = 30_000;

/** Delivery rates over time, by carrier and by number. */
export function DeliverabilityPage() {
  const { mode } = useAccount();
  const [search, set] = useFilters();
  const span = SPANS.find((each) => each.value === search["hours"])?.value ?? "24";
  const counted = useRead(
    ["deliverability", span],
    (api, signal) => api.deliverability.get({ hours: hoursOfSpan(Number(span)) }, { signal }),
    { refetchMs: REFETCH_MS },
  );
  return (
    <Page
      title="Deliverability"
      about={
        mode === "test"
          ? "How much of the sandbox's traffic arrives, as the magic numbers decide it."
          : "How much of the traffic arrives. A text counts in the hour it was sent."
      }
      actions={
        <Segmented
          label="How far back"
          value={span}
          choices={SPANS}
          onChange={(value) => set({ hours: value === "24" ? undefined : value })}
        />
      }
    >
      <Loaded query={counted}>
        {(value) => (
          <div className="stack-wide">
            <DeliveryAlarms />
            <ComparedFigures counted={value} />
            <Card title="Over time">
              <DeliveryChart counted={value} />
            </Card>
            {value.totals.failed > 0 && <FailureCards since={value.created_after} />}
            <div className="halves">
              <Ranking
                title="By carrier"
                name="Carrier"
                rows={value.by_carrier.map((row) => ({ ...row, key: row.carrier ?? "Sandbox" }))}
              />
              <Ranking
                title="By number"
                name="Number"
                rows={value.by_number.map((row) => ({
                  ...row,
                  key: formatPhone(row.phone_number),
                }))}
              />
            </div>
          </div>
        )}
      </Loaded>
    </Page>
  );
}

function FailureCards(props: { since: string }) {
  const failures = useFailures(props.since);
  const hasCarriers = failures.data?.by_carrier.some(({ carrier }) => carrier !== null) ?? false;
  return (
    <div className={hasCarriers ? "halves" : undefined}>
      <Card title="Failures by reason">
        <Loaded query={failures} skeletonLines={3}>
          {(value) => <ReasonBars failures={value} since={props.since} />}
        </Loaded>
      </Card>
      {hasCarriers && (
        <Card title="Failures by carrier">
          <Loaded query={failures} skeletonLines={3}>
            {(value) => <CarrierBars failures={value} since={props.since} />}
          </Loaded>
        </Card>
      )}
    </div>
  );
}

type Ranked = DeliveryCounts & { readonly key: string };

function Ranking(props: { title: string; name: string; rows: readonly Ranked[] }) {
  const columns: readonly TableColumn<Ranked>[] = [
    { name: props.name, cell: (row) => <span className="strong nowrap">{row.key}</span> },
    { name: "Sent", right: true, cell: (row) => formatCount(row.sent) },
    { name: "Failed", right: true, cell: (row) => formatCount(row.failed) },
    { name: "Delivered", right: true, cell: rateOf },
  ];
  return (
    <Card title={props.title} flush>
      {props.rows.length === 0 ? (
        <Empty icon="gauge" title="Nothing was sent in this time" />
      ) : (
        <Table
          label={props.title}
          bare
          rows={props.rows}
          keyOf={(row) => row.key}
          columns={columns}
        />
      )}
    </Card>
  );
}
