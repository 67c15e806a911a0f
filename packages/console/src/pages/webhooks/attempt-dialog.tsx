import { WEBHOOK_RETRY_DELAYS_SECONDS } from "@longwave/contract/tables";
import type { WebhookDelivery } from "@longwave/sdk";
import { Link } from "@tanstack/react-router";
import { useAccount, useHasRole } from "../../api/account.tsx";
import { useRead } from "../../api/queries.ts";
import { Loaded } from "../../lists/loaded.tsx";
import { Button } from "../../ui/button.tsx";
import { Json } from "../../ui/code.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { formatDayAndTime, formatExact } from "../../ui/format.ts";
import { Icon } from "../../ui/icons.tsx";
import { Facts } from "../../ui/page.tsx";
import { ErrorBox } from "../../ui/problem.tsx";
import { Status } from "../../ui/status.tsx";
import { nextRetryAt, useReplay } from "./tries.ts";

const TRIES = Array.from(
  { length: WEBHOOK_RETRY_DELAYS_SECONDS.length + 1 },
  (_, index) => index + 1,
);

type HeaderKind = "id" | "time" | "signature";

/** Signature and metadata headers of a delivery: nine in all. */
const HEADERS: readonly (readonly [name: string, kind: HeaderKind])[] = [
  ["svc-event-id", "id"],
  ["svc-signature", "signature"],
  ["x-svc-event-id", "id"],
  ["x-svc-signature", "signature"],
  ["x-webhook-event-id", "id"],
  ["x-webhook-signature", "signature"],
  ["webhook-id", "id"],
  ["webhook-timestamp", "time"],
  ["webhook-signature", "signature"],
];

/** Delivery attempt: its try number, the endpoint's answer, and a replay. */
export function AttemptDialog(props: { attempt: WebhookDelivery | null; onClose: () => void }) {
  const { base } = useAccount();
  const { attempt } = props;
  return (
    <Dialog
      title="Response of the endpoint"
      isOpen={attempt !== null}
      onClose={props.onClose}
      size="wide"
    >
      {attempt && (
        <>
          <div className="dialog-body stack">
            <Ladder attempt={attempt} />
            <Facts
              facts={[
                {
                  name: "Result",
                  value: <Status machine="delivery" state={attempt.ok ? "ok" : "failed"} />,
                },
                { name: "Status", value: attempt.status_code ?? attempt.error ?? "–" },
                { name: "Duration", value: `${attempt.latency_ms} ms` },
                {
                  name: "Event",
                  value: (
                    <Link to={`${base}/events/${attempt.event_id}`} search={{}} className="mono">
                      {attempt.event_id}
                    </Link>
                  ),
                },
              ]}
            />
            <div className="code">
              <pre tabIndex={0} style={{ whiteSpace: "pre-wrap" }}>
                {attempt.response_body || "The response had no body."}
              </pre>
            </div>
            <Sent attempt={attempt} />
          </div>
          <Replay attempt={attempt} onDone={props.onClose} />
        </>
      )}
    </Dialog>
  );
}

/** All tries of an event send the same body: the event. */
function Sent(props: { attempt: WebhookDelivery }) {
  const { event_id: id, created_at: at } = props.attempt;
  const event = useRead(["events", id], (api, signal) => api.events.get(id, { signal }), {
    staleMs: Number.POSITIVE_INFINITY,
  });
  return (
    <section className="stack" aria-label="Request">
      <h3>Request</h3>
      <dl className="facts">
        {HEADERS.map(([name, value]) => (
          <HeaderRow key={name} name={name} value={headerValue(value, id, at)} />
        ))}
      </dl>
      <Loaded query={event}>{(value) => <Json value={value} title="Body" />}</Loaded>
    </section>
  );
}

function HeaderRow(props: { name: string; value: string | null }) {
  return (
    <>
      <dt>
        <code>{props.name}</code>
      </dt>
      <dd>
        {props.value === null ? (
          <span className="muted">made with the endpoint's secret, not stored</span>
        ) : (
          <code>{props.value}</code>
        )}
      </dd>
    </>
  );
}

function headerValue(kind: HeaderKind, eventId: string, at: string): string | null {
  if (kind === "signature") return null;
  return kind === "id" ? eventId : String(Math.floor(Date.parse(at) / 1_000));
}

/** Position among the scheduled tries of an event; a replay is not one of them. */
function Ladder(props: { attempt: WebhookDelivery }) {
  const { attempt, ok, replay } = props.attempt;
  if (replay) return <p className="muted">A replay: the event is sent once, and not retried.</p>;
  const nextAt = nextRetryAt(props.attempt);
  return (
    <div className="row-apart">
      <ol className="state-steps" aria-label="Tries">
        {TRIES.map((number) =>
          number === attempt ? (
            <li key={number} data-when="now" data-tone={ok ? "green" : "red"} aria-current="step">
              <Icon name={ok ? "check" : "x"} size={13} />
              Try {number}
            </li>
          ) : (
            <li key={number} data-when={number < attempt ? "done" : "later"}>
              {number}
            </li>
          ),
        )}
      </ol>
      {nextAt !== null && (
        <span className="meta">
          The next one was set for{" "}
          <time dateTime={nextAt} title={formatExact(nextAt)}>
            {formatDayAndTime(nextAt)}
          </time>
        </span>
      )}
    </div>
  );
}

function Replay(props: { attempt: WebhookDelivery; onDone: () => void }) {
  const { attempt } = props;
  const mayReplay = useHasRole("member");
  const replay = useReplay(attempt, props.onDone);
  if (!mayReplay) return null;
  return (
    <div className="dialog-foot">
      {replay.error ? <ErrorBox error={replay.error} /> : null}
      <Button
        kind="primary"
        icon="retry"
        busy={replay.isPending}
        onClick={() => replay.mutate(undefined)}
      >
        Replay
      </Button>
    </div>
  );
}
