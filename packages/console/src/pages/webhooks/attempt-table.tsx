import type { WebhookDelivery } from "@longwave/sdk";
import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Status } from "../../ui/status.tsx";
import { Table, type TableColumn } from "../../ui/table.tsx";
import { Time } from "../../ui/values.tsx";
import { AttemptDialog } from "./attempt-dialog.tsx";

const COLUMNS: readonly TableColumn<WebhookDelivery>[] = [
  {
    name: "Result",
    cell: (row) => <Status machine="delivery" state={row.ok ? "ok" : "failed"} />,
  },
  {
    name: "Event",
    cell: (row) => (
      <>
        <code>{row.event_type}</code>
        {row.replay && <span className="chip">replay</span>}
      </>
    ),
  },
  {
    name: "Status",
    cell: (row) => <span className="tabular">{row.status_code ?? row.error}</span>,
  },
  { name: "Attempt", right: true, cell: (row) => row.attempt },
  { name: "Took", right: true, cell: (row) => `${row.latency_ms} ms` },
  { name: "When", right: true, cell: (row) => <Time at={row.created_at} /> },
];

/** Delivery attempts; each opens to the endpoint's answer. */
export function AttemptTable(props: { attempts: readonly WebhookDelivery[] }) {
  const [opened, setOpened] = useState<WebhookDelivery | null>(null);
  if (props.attempts.length === 0) {
    return <Empty icon="webhook" title="No attempts" />;
  }
  const open: TableColumn<WebhookDelivery> = {
    name: "Open",
    nameless: true,
    right: true,
    cell: (row) => (
      <Button size="small" onClick={() => setOpened(row)}>
        Reply
      </Button>
    ),
  };
  return (
    <>
      <Table
        label="Attempts"
        bare
        columns={[...COLUMNS, open]}
        rows={props.attempts}
        keyOf={(row) => row.id}
      />
      <AttemptDialog attempt={opened} onClose={() => setOpened(null)} />
    </>
  );
}
