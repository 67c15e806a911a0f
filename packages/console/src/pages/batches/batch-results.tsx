import type { Batch, BatchResults } from "@longwave/sdk";
import { useAccount } from "../../api/account.tsx";
import { useRead } from "../../api/queries.ts";
import { useHasBilling } from "../../api/session.ts";
import { Loaded } from "../../lists/loaded.tsx";
import { Bars } from "../../ui/chart.tsx";
import { formatCount, formatPercent, formatUsd } from "../../ui/format.ts";
import { Card } from "../../ui/page.tsx";
import { Tiles } from "../../ui/tiles.tsx";
import { failedOf } from "./counts.ts";

const REFRESH_MS = 5_000;

export function useBatchResults(batchId: string) {
  return useRead(
    ["batch", batchId, "results"],
    (api, signal) => api.batches.results(batchId, { signal }),
    { refetchMs: REFRESH_MS },
  );
}

export function BatchResultsCard(props: { batch: Batch }) {
  const results = useBatchResults(props.batch.id);
  return (
    <Loaded query={results}>{(value) => <Results batch={props.batch} results={value} />}</Loaded>
  );
}

function Results(props: { batch: Batch; results: BatchResults }) {
  const hasBilling = useHasBilling();
  const { results } = props;
  const { base } = useAccount();
  // A partial count reached the read limit: the true number may be larger.
  const least = results.partial ? "at least " : "";
  const rate = results.attempted === 0 ? null : results.delivered / results.attempted;
  const people = (search: Readonly<Record<string, string>>) => ({
    to: `${base}/batches/${props.batch.id}`,
    search: { tab: "recipients", ...search },
  });
  const tiles = [
    {
      name: "Delivered",
      value: `${least}${formatCount(results.delivered)}`,
      note: rate === null ? "" : `${formatPercent(rate)} of those attempted`,
      link: people({ outcome: "delivered" }),
    },
    {
      name: "Failed",
      value: formatCount(failedOf(results)),
      link: people({ outcome: "failed" }),
    },
    {
      name: "Waiting for a receipt",
      value: formatCount(results.pending),
      note: results.no_receipt > 0 ? `${formatCount(results.no_receipt)} never came` : "",
      link: people({ outcome: "sent" }),
    },
    {
      name: "Replies",
      value: `${least}${formatCount(results.replies)}`,
      note: `within ${results.reply_window_hours} h`,
      link: { to: `${base}/conversations`, search: {} },
    },
    { name: "Opted out", value: formatCount(results.stops) },
    ...(hasBilling
      ? [{ name: "Spent", value: results.spent_usd === 0 ? "Free" : formatUsd(results.spent_usd) }]
      : []),
  ];
  return (
    <div className="stack-wide">
      <Tiles tiles={tiles.map((tile) => ({ ...tile, note: tile.note || "\u00a0" }))} />
      {results.failures.length > 0 && (
        <Card title="Why texts failed">
          <Bars
            color="--c-failed"
            bars={results.failures.map((each) => ({
              key: each.code,
              name: each.title,
              value: each.count,
              link: people({ outcome: "failed", failure_code: each.code }),
            }))}
          />
        </Card>
      )}
    </div>
  );
}
