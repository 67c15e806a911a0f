import type { WebhookDelivery } from "@longwave/sdk";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useAccount } from "../../api/account.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Facts } from "../../ui/page.tsx";
import { Status } from "../../ui/status.tsx";
import { Time } from "../../ui/values.tsx";

/** Attempts of webhooks; each opens to what the endpoint answered. */
export function AttemptTable(props: { attempts: readonly WebhookDelivery[] }) {
  const [opened, setOpened] = useState<WebhookDelivery | null>(null);
  if (props.attempts.length === 0) {
    return <Empty icon="webhook" title="No attempts" />;
  }
  return (
    <div className="table-scroll">
      <table className="table">
        <thead>
          <tr>
            <th scope="col">Result</th>
            <th scope="col">Event</th>
            <th scope="col">Answer</th>
            <th scope="col" className="right">
              Try
            </th>
            <th scope="col" className="right">
              Took
            </th>
            <th scope="col" className="right">
              When
            </th>
            <th scope="col">
              <span className="sr-only">Open</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {props.attempts.map((row) => (
            <tr key={row.id}>
              <td>
                <Status machine="delivery" state={row.ok ? "ok" : "failed"} />
              </td>
              <td>
                <code>{row.event_type}</code>
                {row.replay && <span className="chip">replay</span>}
              </td>
              <td className="tabular">{row.status_code ?? row.error}</td>
              <td className="right">{row.attempt}</td>
              <td className="right nowrap">{row.latency_ms} ms</td>
              <td className="right nowrap">
                <Time at={row.created_at} />
              </td>
              <td className="right">
                <button
                  type="button"
                  className="btn"
                  data-size="small"
                  onClick={() => setOpened(row)}
                >
                  Reply
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <AttemptDialog attempt={opened} onClose={() => setOpened(null)} />
    </div>
  );
}

function AttemptDialog(props: { attempt: WebhookDelivery | null; onClose: () => void }) {
  const { base } = useAccount();
  const { attempt } = props;
  return (
    <Dialog
      title="What the endpoint answered"
      isOpen={attempt !== null}
      onClose={props.onClose}
      size="wide"
    >
      {attempt && (
        <div className="dialog-body stack">
          <Facts
            facts={[
              {
                name: "Result",
                value: <Status machine="delivery" state={attempt.ok ? "ok" : "failed"} />,
              },
              { name: "Status", value: attempt.status_code ?? attempt.error ?? "–" },
              { name: "Took", value: `${attempt.latency_ms} ms` },
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
              {attempt.response_body || "The reply had no body."}
            </pre>
          </div>
        </div>
      )}
    </Dialog>
  );
}
