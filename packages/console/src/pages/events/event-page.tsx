import type { Event } from "@longwave/sdk";
import { useState } from "react";
import { useAccount, useHasRole } from "../../api/account.tsx";
import { useAct, useRead } from "../../api/queries.ts";
import { Loaded } from "../../lists/loaded.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Json } from "../../ui/code.tsx";
import { Id } from "../../ui/copy.tsx";
import { Card, Facts, Page } from "../../ui/page.tsx";
import { usePageParams } from "../../ui/pane.tsx";
import { ErrorBox } from "../../ui/problem.tsx";
import { toast } from "../../ui/toast.tsx";
import { Time } from "../../ui/values.tsx";
import { EventAttempts } from "./event-attempts.tsx";
import { EVENT_WORDS } from "./event-types.ts";

export function EventPage() {
  const { id } = usePageParams<{ id: string }>();
  const { base } = useAccount();
  const event = useRead(["events", id], (api, signal) => api.events.get(id, { signal }), {
    staleMs: Number.POSITIVE_INFINITY,
  });
  return (
    <Page
      title={event.data ? EVENT_WORDS[event.data.type] : "Event"}
      crumb={{ to: `${base}/events`, label: "Events" }}
    >
      <Loaded query={event}>
        {(value) => (
          <div className="columns">
            <div className="stack-wide">
              <Json value={value} title={value.type} />
              <EventAttempts eventId={id} />
            </div>
            <div className="stack-wide">
              <Card title="Details">
                <Facts
                  facts={[
                    { name: "Id", value: <Id value={id} /> },
                    { name: "Type", value: <code>{value.type}</code> },

                    { name: "When", value: <Time at={value.created_at} /> },
                  ]}
                />
              </Card>
              <Replay event={value} />
            </div>
          </div>
        )}
      </Loaded>
    </Page>
  );
}

function Replay(props: { event: Event }) {
  const { base } = useAccount();
  const mayReplay = useHasRole("member");
  const endpoints = useRead(["webhooks"], (api, signal) => api.webhooks.list({}, { signal }));
  const all = endpoints.data?.data ?? [];
  const [chosen, setChosen] = useState("");
  const endpoint = chosen || all[0]?.id || "";
  const replay = useAct(
    (_: undefined, { api, idempotencyKey }) =>
      api.events.replay(props.event.id, { endpoint_id: endpoint }, { idempotencyKey }),
    {
      stale: ["deliveries"],
      onDone: (attempt) =>
        toast(
          attempt.ok
            ? "Delivered."
            : `The endpoint answered ${attempt.status_code ?? attempt.error}.`,
        ),
    },
  );
  if (!mayReplay) return null;
  return (
    <Card title="Send it again">
      {all.length === 0 ? (
        <ButtonLink to={`${base}/webhooks`} icon="webhook">
          Add an endpoint first
        </ButtonLink>
      ) : (
        <div className="stack">
          <select
            className="select"
            aria-label="Endpoint"
            value={endpoint}
            onChange={(event) => setChosen(event.target.value)}
          >
            {all.map((each) => (
              <option key={each.id} value={each.id}>
                {each.url}
              </option>
            ))}
          </select>
          {replay.error ? <ErrorBox error={replay.error} /> : null}
          <Button icon="retry" busy={replay.isPending} onClick={() => replay.mutate(undefined)}>
            Replay to this endpoint
          </Button>
        </div>
      )}
    </Card>
  );
}
