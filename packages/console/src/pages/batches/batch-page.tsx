import type { Batch } from "@longwave/sdk";
import { useParams } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useAccount } from "../../api/account.tsx";
import { useRead } from "../../api/queries.ts";
import { nowMs } from "../../clock.ts";
import { Loaded } from "../../lists/loaded.tsx";
import { Legend, Progress } from "../../ui/chart.tsx";
import { Id } from "../../ui/copy.tsx";
import { formatCount, formatDistance, formatPercent } from "../../ui/format.ts";
import { NamedLink } from "../../ui/named-link.tsx";
import { Card, Facts, Page } from "../../ui/page.tsx";
import { Status } from "../../ui/status.tsx";
import { Tabs, useTab } from "../../ui/tabs.tsx";
import { Phone, Time } from "../../ui/values.tsx";
import { Audience, Creator } from "./audience.tsx";
import { BatchActions } from "./batch-actions.tsx";
import { BatchResultsCard, useBatchResults } from "./batch-results.tsx";
import { doneOf, partsOf } from "./counts.ts";
import { Recipients } from "./recipients.tsx";

const TABS = [
  { id: "overview", label: "Results" },
  { id: "recipients", label: "Recipients" },
];
const MOVING_MS = 1_000;
const RESTING_MS = 15_000;

export function BatchPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const { base } = useAccount();
  const [isMoving, setIsMoving] = useState(true);
  const batch = useRead(["batch", id], (api, signal) => api.batches.get(id, { signal }), {
    refetchMs: isMoving ? MOVING_MS : RESTING_MS,
  });
  const status = batch.data?.status;
  useEffect(() => setIsMoving(status === undefined || status === "sending"), [status]);
  const tab = useTab(TABS);
  return (
    <Page
      title={batch.data ? (batch.data.name ?? batch.data.body) : "Batch"}
      crumb={{ to: `${base}/batches`, label: "Batches" }}
      actions={batch.data && <BatchActions batch={batch.data} />}
    >
      <Loaded query={batch}>
        {(value) => (
          <div className="stack-wide">
            <Live batch={value} />
            <Tabs label="Parts of the batch" tabs={TABS} chosen={tab} />
            {tab === "recipients" ? <Recipients batchId={value.id} /> : <Overview batch={value} />}
          </div>
        )}
      </Loaded>
    </Page>
  );
}

/** Progress of a batch: share done, rate and time left. */
function Live(props: { batch: Batch }) {
  const { batch } = props;
  const { counts } = batch;
  const done = doneOf(counts);
  const rate = useRate(done, batch.status === "sending");
  const results = useBatchResults(batch.id);
  const parts = partsOf(counts, results.data);
  const left = counts.total - done;
  return (
    <Card
      title={
        <span className="row">
          <Status machine="batch" state={batch.status} />
          <b className="tabular">{formatPercent(counts.total === 0 ? 0 : done / counts.total)}</b>
        </span>
      }
      aside={
        batch.status === "sending" && rate > 0 ? (
          <span className="meta tabular">
            {formatCount(Math.round(rate))} a second · about {formatDistance((left / rate) * 1000)}{" "}
            left
          </span>
        ) : (
          <span className="meta tabular">
            {formatCount(done)} of {formatCount(counts.total)}
          </span>
        )
      }
    >
      <div className="stack">
        <Progress large label="Recipients" parts={parts} total={counts.total} />
        <Legend series={parts} totals={parts.map((part) => part.value)} />
      </div>
    </Card>
  );
}

const SAMPLES_MAX = 8;

/** Recipients per second, over the last few reads. */
function useRate(done: number, isMoving: boolean): number {
  const [samples, setSamples] = useState<readonly { at: number; done: number }[]>([]);
  useEffect(() => {
    setSamples((before) => [...before, { at: nowMs(), done }].slice(-SAMPLES_MAX));
  }, [done]);
  const first = samples[0];
  const last = samples.at(-1);
  if (!isMoving || !first || !last || last.at === first.at) return 0;
  return ((last.done - first.done) / (last.at - first.at)) * 1000;
}

function Overview(props: { batch: Batch }) {
  const { batch } = props;
  return (
    <div className="columns">
      <BatchResultsCard batch={batch} />
      <div className="stack-wide">
        <Card title="Text">
          <p className="bubble" style={{ maxWidth: "100%" }}>
            {batch.body}
          </p>
        </Card>
        <Card title="Details">
          <Facts
            facts={[
              { name: "Id", value: <Id value={batch.id} /> },
              { name: "From", value: <Phone value={batch.from} /> },
              { name: "Audience", value: <Audience batch={batch} /> },
              batch.topic_id === null
                ? null
                : { name: "Topic", value: <NamedLink kind="topics" id={batch.topic_id} /> },
              { name: "Created by", value: <Creator id={batch.created_by} /> },
              batch.customer_id === null
                ? null
                : {
                    name: "Customer",
                    value: <NamedLink kind="customers" id={batch.customer_id} />,
                  },
              { name: "Created", value: <Time at={batch.created_at} /> },
              batch.scheduled_at === null
                ? null
                : { name: "Scheduled", value: <Time at={batch.scheduled_at} /> },
              { name: "Started", value: <Time at={batch.started_at} /> },
              { name: "Completed", value: <Time at={batch.completed_at} /> },
              batch.canceled_at === null
                ? null
                : { name: "Canceled", value: <Time at={batch.canceled_at} /> },
            ]}
          />
        </Card>
      </div>
    </div>
  );
}
