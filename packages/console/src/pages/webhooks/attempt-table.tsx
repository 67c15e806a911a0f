import type { WebhookDelivery } from "@longwave/sdk";
import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Status } from "../../ui/status.tsx";
import { Table, type TableColumn } from "../../ui/table.tsx";
import { Time } from "../../ui/values.tsx";
import { AttemptDialog } from "./attempt-dialog.tsx";
import { useEndpointNames } from "./use-endpoint-names.ts";

const RESULT: TableColumn<WebhookDelivery> = {
  name: "Result",
  cell: (row) => <Status machine="delivery" state={row.ok ? "ok" : "failed"} />,
};

const COLUMNS: readonly TableColumn<WebhookDelivery>[] = [
  {
    name: "Status",
    cell: (row) => <span className="tabular">{row.status_code ?? row.error}</span>,
  },
  { name: "Attempt", right: true, cell: (row) => row.attempt },
  { name: "Duration", right: true, cell: (row) => `${row.latency_ms} ms` },
  { name: "When", right: true, cell: (row) => <Time at={row.created_at} /> },
];

/**
 * Delivery attempts of one endpoint with their events, or of one event with their endpoints; each
 * opens to the endpoint's answer.
 */
export function AttemptTable(props: {
  attempts: readonly WebhookDelivery[];
  of: "endpoint" | "event";
}) {
  const nameOf = useEndpointNames();
  const [opened, setOpened] = useState<WebhookDelivery | null>(null);
  if (props.attempts.length === 0) {
    return <Empty icon="webhook" title="No attempts" />;
  }
  const other: TableColumn<WebhookDelivery> = {
    name: props.of === "endpoint" ? "Event" : "Endpoint",
    cell: (row) => (
      <>
        {props.of === "endpoint" ? (
          <code>{row.event_type}</code>
        ) : (
          <span className="wrap-anywhere">{nameOf(row.endpoint_id) || "–"}</span>
        )}
        {row.replay && <span className="chip">replay</span>}
      </>
    ),
  };
  const open: TableColumn<WebhookDelivery> = {
    name: "Open",
    nameless: true,
    right: true,
    cell: (row) => (
      <Button size="small" onClick={() => setOpened(row)}>
        Response
      </Button>
    ),
  };
  return (
    <>
      <Table
        label="Attempts"
        bare
        columns={[RESULT, other, ...COLUMNS, open]}
        rows={props.attempts}
        keyOf={(row) => row.id}
      />
      <AttemptDialog attempt={opened} onClose={() => setOpened(null)} />
    </>
  );
}
