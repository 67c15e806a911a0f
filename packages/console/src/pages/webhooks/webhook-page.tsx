import type { WebhookEndpoint } from "@longwave/sdk";
import { useParams } from "@tanstack/react-router";
import { useAccount } from "../../api/account.tsx";
import { useRead } from "../../api/queries.ts";
import { Loaded } from "../../lists/loaded.tsx";
import { Button } from "../../ui/button.tsx";
import { Id } from "../../ui/copy.tsx";
import { formatDayAndTime, formatPercent, formatTook, plural } from "../../ui/format.ts";
import { Card, Facts, Page } from "../../ui/page.tsx";
import { Note } from "../../ui/problem.tsx";
import { useFilters } from "../../ui/search-params.ts";
import { Time } from "../../ui/values.tsx";
import { AttemptChart } from "./attempt-chart.tsx";
import { AttemptTable } from "./attempt-table.tsx";
import { EndpointActions } from "./endpoint-actions.tsx";
import { EndpointState } from "./endpoint-state.tsx";
import { ReplayFailed } from "./replay-failed.tsx";
import { useHealth } from "./use-health.ts";

const ATTEMPTS_SHOWN = 100;
const REFETCH_MS = 3_000;

export function WebhookPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const { base } = useAccount();
  const endpoint = useRead(["webhooks", id], (api, signal) => api.webhooks.get(id, { signal }));
  return (
    <Page
      title={endpoint.data?.url ?? "Endpoint"}
      crumb={{ to: `${base}/webhooks`, label: "Webhooks" }}
      actions={endpoint.data && <EndpointActions endpoint={endpoint.data} />}
    >
      <Loaded query={endpoint}>{(value) => <Endpoint endpoint={value} />}</Loaded>
    </Page>
  );
}

function Endpoint(props: { endpoint: WebhookEndpoint }) {
  const { endpoint } = props;
  const [search, set] = useFilters();
  const eventId = search["event_id"];
  const shown = search["ok"] ?? "";
  const { created_after, created_before } = search;
  const attempts = useRead(
    ["deliveries", endpoint.id, eventId, shown, created_after, created_before],
    (api, signal) =>
      api.webhooks.deliveries(
        {
          endpoint_id: endpoint.id,
          event_id: eventId,
          ok: shown === "" ? undefined : shown === "true",
          created_after,
          created_before,
          limit: ATTEMPTS_SHOWN,
        },
        { signal },
      ),
    { refetchMs: REFETCH_MS },
  );
  return (
    <div className="columns">
      <div className="stack-wide">
        <AttemptChart endpointId={endpoint.id} />
        <Card
          title="Attempts by event"
          flush
          aside={
            <select
              className="select"
              style={{ width: "auto" }}
              aria-label="Which attempts"
              value={shown}
              onChange={(event) => set({ ok: event.target.value || undefined })}
            >
              <option value="">All</option>
              <option value="true">Delivered</option>
              <option value="false">Failed</option>
            </select>
          }
          foot={<span>The newest {ATTEMPTS_SHOWN}. Kept for 30 days.</span>}
        >
          {eventId !== undefined && (
            <div className="card-body row">
              <span className="muted">Of one event:</span> <Id value={eventId} />
              <Button
                kind="ghost"
                size="small"
                icon="x"
                onClick={() => set({ event_id: undefined })}
              >
                Of all events
              </Button>
            </div>
          )}
          {created_after !== undefined && (
            <div className="card-body row">
              <span className="muted">
                From {formatDayAndTime(created_after)}
                {created_before !== undefined && ` until ${formatDayAndTime(created_before)}`}
              </span>
              <Button
                kind="ghost"
                size="small"
                icon="x"
                onClick={() => set({ created_after: undefined, created_before: undefined })}
              >
                Any time
              </Button>
            </div>
          )}
          <Loaded query={attempts}>
            {(page) => <AttemptTable of="endpoint" attempts={page.data} />}
          </Loaded>
        </Card>
      </div>
      <div className="stack-wide">
        <HealthNote endpointId={endpoint.id} />
        <Card title="Details">
          <Facts
            facts={[
              {
                name: "State",
                value: <EndpointState endpoint={endpoint} />,
              },
              { name: "Id", value: <Id value={endpoint.id} /> },
              {
                name: "Events",
                value: endpoint.events.includes("*")
                  ? "All"
                  : endpoint.events.map((type) => (
                      <div key={type}>
                        <code>{type}</code>
                      </div>
                    )),
              },
              { name: "Description", value: endpoint.description ?? "–" },
              { name: "Created", value: <Time at={endpoint.created_at} /> },
            ]}
          />
        </Card>
        <ReplayFailed endpointId={endpoint.id} />
      </div>
    </div>
  );
}

/** Recent health of the endpoint, whatever the filters show. */
function HealthNote(props: { endpointId: string }) {
  const health = useHealth(props.endpointId);
  if (health === null) return null;
  return (
    <Note tone={health.tone}>
      <strong>{formatPercent(health.rate)} delivered</strong> of the newest{" "}
      {plural(health.attempts, "attempt")} in 24 hours, p95 {formatTook(health.p95Ms)}.
    </Note>
  );
}
