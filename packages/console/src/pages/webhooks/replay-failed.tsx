import { REPLAY_ALL_EVENTS_MAX } from "@longwave/contract/tables";
import { useState } from "react";
import { useMay } from "../../api/account.tsx";
import { useAct, useRead } from "../../api/queries.ts";
import { Button } from "../../ui/button.tsx";
import { plural } from "../../ui/format.ts";
import { Card } from "../../ui/page.tsx";
import { ErrorBox } from "../../ui/problem.tsx";

const WINDOWS = [
  { hours: 24, label: "the last 24 hours" },
  { hours: 72, label: "the last 3 days" },
  { hours: 168, label: "the last 7 days" },
];

/** Sends again what an endpoint missed, up to 50 events a run. */
export function ReplayFailed(props: { endpointId: string }) {
  const { endpointId } = props;
  const mayReplay = useMay("member");
  const [hours, setHours] = useState(24);
  const undelivered = useRead(["undelivered", endpointId], (api, signal) =>
    api.webhooks.undelivered({ endpoint_id: endpointId, limit: 100 }, { signal }),
  );
  const run = useAct(
    (_: undefined, { api, idempotencyKey }) =>
      api.webhooks.replayFailed(endpointId, { hours }, { idempotencyKey, timeoutMs: 320_000 }),
    { stale: ["deliveries", "undelivered"] },
  );
  if (!mayReplay) return null;
  const waiting = undelivered.data?.data.length ?? 0;
  return (
    <Card title="Replay what failed">
      <div className="stack">
        <p className="muted">
          {waiting === 0
            ? "No event has run out of its six attempts."
            : `${plural(waiting, "event")} ran out of their six attempts.`}{" "}
          A run takes events whose deliveries all failed, at most {REPLAY_ALL_EVENTS_MAX}.
        </p>
        <select
          className="select"
          aria-label="How far back"
          value={hours}
          onChange={(event) => setHours(Number(event.target.value))}
        >
          {WINDOWS.map((each) => (
            <option key={each.hours} value={each.hours}>
              Of {each.label}
            </option>
          ))}
        </select>
        {run.error ? <ErrorBox error={run.error} /> : null}
        {run.data && (
          <p role="status">
            {plural(run.data.replayed, "event")} sent again, {run.data.delivered} delivered,{" "}
            {run.data.failed} failed.
            {run.data.has_more && " There are more: run it again."}
          </p>
        )}
        <Button icon="retry" busy={run.isPending} onClick={() => run.mutate(undefined)}>
          Replay all that failed
        </Button>
      </div>
    </Card>
  );
}
