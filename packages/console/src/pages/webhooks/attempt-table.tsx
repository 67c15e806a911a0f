import type { WebhookDelivery } from "@longwave/sdk";
import { useState } from "react";
import { Empty } from "../../ui/empty.tsx";
import { Status } from "../../ui/status.tsx";
import { Time } from "../../ui/values.tsx";
import { AttemptDialog } from "./attempt-dialog.tsx";

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
