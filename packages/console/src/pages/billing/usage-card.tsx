import type { Usage } from "@longwave/sdk";
import { useAccount } from "../../api/account.tsx";
import { useRead } from "../../api/queries.ts";
import { serverMs } from "../../clock.ts";
import { Loaded } from "../../lists/loaded.tsx";
import { Button } from "../../ui/button.tsx";
import { formatMonth, monthBoundsMs, newestMonths, readerZone } from "../../ui/calendar.ts";
import { StackedBars } from "../../ui/chart.tsx";
import { saveFile } from "../../ui/files.ts";
import { formatCount, formatUsd } from "../../ui/format.ts";
import { Card } from "../../ui/page.tsx";
import { useFilters } from "../../ui/search-params.ts";
import { Table } from "../../ui/table.tsx";
import { dayBuckets, newestDays, USAGE_SERIES } from "../customers/days.ts";
import { useOpenMessages } from "../messages/use-open-messages.ts";
import { usageCsv } from "./usage-csv.ts";

const DAYS = ["7", "30", "90"] as const;
const MONTHS_SHOWN = 12;

/** Messages and verifications by calendar day, of the newest days or of one month. */
export function UsageCard() {
  const { mode } = useAccount();
  const [search, set] = useFilters();
  const months = newestMonths(serverMs(), MONTHS_SHOWN);
  const month = months.find((each) => each === search["month"]);
  const days = DAYS.find((each) => each === search["days"]) ?? "30";
  const span = month ?? days;
  const usage = useRead(["usage", span], (api, signal) =>
    api.usage.get({ ...boundsOf(month, days), timezone: readerZone() }, { signal }),
  );
  const choose = (value: string) => {
    const isMonth = value.includes("-");
    set({
      month: isMonth ? value : undefined,
      days: isMonth || value === "30" ? undefined : value,
    });
  };
  return (
    <Card
      title="Usage by day"
      aside={
        <div className="row">
          <select
            className="select"
            style={{ width: "auto" }}
            aria-label="Time shown"
            value={span}
            onChange={(event) => choose(event.target.value)}
          >
            {DAYS.map((each) => (
              <option key={each} value={each}>{`Last ${each} days`}</option>
            ))}
            {months.map((each) => (
              <option key={each} value={each}>
                {formatMonth(each)}
              </option>
            ))}
          </select>
          <Button
            icon="download"
            disabled={!usage.data}
            onClick={() => {
              if (!usage.data) return;
              const name = `usage-${mode}-${month ?? `${days}-days`}.csv`;
              saveFile(name, "text/csv", usageCsv(usage.data));
            }}
          >
            Export
          </Button>
        </div>
      }
    >
      <Loaded query={usage}>{(value) => <UsageByDay usage={value} />}</Loaded>
    </Card>
  );
}

function boundsOf(month: string | undefined, days: string) {
  if (month === undefined) return { created_after: newestDays(Number(days)) };
  const [fromMs, beforeMs] = monthBoundsMs(month);
  return {
    created_after: new Date(fromMs).toISOString(),
    created_before: new Date(beforeMs).toISOString(),
  };
}

const KINDS = [
  ["outbound", "Texts sent"],
  ["inbound", "Texts received"],
  ["verifications", "Verifications"],
] as const;
/** Both directions: a bar counts sent and received messages. */
const ALL_MESSAGES = {};

function UsageByDay(props: { usage: Usage }) {
  const { usage } = props;
  const rows = KINDS.map(([kind, name]) => ({ kind, name, ...usage.totals[kind] }));
  const openMessages = useOpenMessages(ALL_MESSAGES);
  return (
    <div className="stack">
      <StackedBars
        label="Usage by day"
        series={USAGE_SERIES}
        buckets={dayBuckets(usage)}
        onPick={openMessages}
      />
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
