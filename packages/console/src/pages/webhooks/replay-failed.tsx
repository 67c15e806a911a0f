import { REPLAY_ALL_EVENTS_MAX, REPLAY_ALL_SECONDS_MAX } from "@longwave/contract/tables";
import type { WebhookReplayRun } from "@longwave/sdk";
import { useState } from "react";
import { useHasRole } from "../../api/account.tsx";
import { useAct, useRead } from "../../api/queries.ts";
import { makeIdempotencyKey } from "../../clock.ts";
import { Button } from "../../ui/button.tsx";
import { formatCount, plural } from "../../ui/format.ts";
import { Card } from "../../ui/page.tsx";
import { ErrorBox } from "../../ui/problem.tsx";

/** Timeout of a run: the server ends it within five minutes. */
const RUN_MS_MAX = (REPLAY_ALL_SECONDS_MAX + 20) * 1_000;
const WINDOWS = [
  { hours: 24, label: "the last 24 hours" },
  { hours: 72, label: "the last 3 days" },
  { hours: 168, label: "the last 7 days" },
];

/** Runs per click. An account may make ten replays a minute; the rest stays for single ones. */
const RUNS_MAX = 8;

/** Repeats runs while more events are undelivered and the endpoint accepts them. */
async function replayRuns(
  run: (idempotencyKey: string) => PromiseLike<WebhookReplayRun>,
  firstKey: string,
): Promise<WebhookReplayRun> {
  let all = await run(firstKey);
  for (let runs = 1; all.has_more && all.failed === 0 && runs < RUNS_MAX; runs += 1) {
    const next = await tryRun(() => run(makeIdempotencyKey()));
    // An error ends the loop; the result so far shows that more is left.
    if (next === null) break;
    all = {
      ...next,
      replayed: all.replayed + next.replayed,
      delivered: all.delivered + next.delivered,
    };
  }
  return all;
}

async function tryRun<T>(run: () => PromiseLike<T>): Promise<T | null> {
  try {
    return await run();
  } catch {
    return null;
  }
}

/** Replays the events that an endpoint missed. */
export function ReplayFailed(props: { endpointId: string }) {
  const { endpointId } = props;
  const mayReplay = useHasRole("member");
  const [hours, setHours] = useState(24);
  const undelivered = useRead(["undelivered", endpointId], (api, signal) =>
    api.webhooks.undelivered({ endpoint_id: endpointId, limit: 100 }, { signal }),
  );
  const run = useAct(
    (_: undefined, { api, idempotencyKey }) =>
      replayRuns(
        (key) =>
          api.webhooks.replayFailed(
            endpointId,
            { hours },
            { idempotencyKey: key, timeoutMs: RUN_MS_MAX },
          ),
        idempotencyKey,
      ),
    { stale: ["deliveries", "undelivered"] },
  );
  if (!mayReplay) return null;
  const waiting = undelivered.data?.data.length ?? 0;
  return (
    <Card title="Resend failed events">
      <div className="stack">
        <p className="muted">
          {waiting === 0
            ? "No event failed all six attempts."
            : `${formatCount(waiting)}${undelivered.data?.has_more ? "+" : ""} events failed all six attempts.`}{" "}
          Resend failed events, oldest first, {REPLAY_ALL_EVENTS_MAX} per run.
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
