import type { BatchResults } from "@longwave/sdk";
import { useRead } from "../../api/queries.ts";
import { Loaded } from "../../lists/loaded.tsx";
import { Bars } from "../../ui/chart.tsx";
import { formatCount, formatPercent, formatUsd } from "../../ui/format.ts";
import { Card } from "../../ui/page.tsx";

const REFRESH_MS = 5_000;

export function BatchResultsCard(props: { batchId: string }) {
  const results = useRead(
    ["batch", props.batchId, "results"],
    (api, signal) => api.batches.results(props.batchId, { signal }),
    { refetchMs: REFRESH_MS },
  );
  return <Loaded query={results}>{(value) => <Results results={value} />}</Loaded>;
}

function Results(props: { results: BatchResults }) {
  const { results } = props;
  // A partial count reached the read limit: the true number may be larger.
  const least = results.partial ? "at least " : "";
  const rate = results.attempted === 0 ? null : results.delivered / results.attempted;
  const figures = [
    {
      name: "Delivered",
      value: `${least}${formatCount(results.delivered)}`,
      note: rate === null ? "" : formatPercent(rate),
    },
    { name: "Failed", value: formatCount(results.failed), note: "" },
    {
      name: "Waiting for a receipt",
      value: formatCount(results.pending),
      note: results.no_receipt > 0 ? `${formatCount(results.no_receipt)} never came` : "",
    },
    {
      name: "Replies",
      value: `${least}${formatCount(results.replies)}`,
      note: `within ${results.reply_window_hours} h`,
    },
    { name: "Opted out", value: formatCount(results.stops), note: "" },
    {
      name: "Spent",
      value: results.spent_usd === 0 ? "Free" : formatUsd(results.spent_usd),
      note: "",
    },
  ];
  return (
    <div className="stack-wide">
      <div className="tiles">
        {figures.map((each) => (
          <div key={each.name} className="card card-body">
            <div className="figure-label">{each.name}</div>
            <div className="figure">{each.value}</div>
            <div className="meta">{each.note || "\u00a0"}</div>
          </div>
        ))}
      </div>
      {results.failures.length > 0 && (
        <Card title="Why texts failed">
          <Bars
            color="--c-failed"
            bars={results.failures.map((each) => ({
              key: each.code,
              name: each.title,
              value: each.count,
            }))}
          />
        </Card>
      )}
    </div>
  );
}
