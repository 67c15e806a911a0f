import type { WebhookDelivery } from "@longwave/sdk";
import { useMemo, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { Empty } from "../../ui/empty.tsx";
import { plural } from "../../ui/format.ts";
import { Status } from "../../ui/status.tsx";
import { Table, type TableColumn } from "../../ui/table.tsx";
import { Time } from "../../ui/values.tsx";
import { AttemptDialog } from "./attempt-dialog.tsx";
import { groupByEvent } from "./group-attempts.ts";
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

const NO_EVENTS: ReadonlySet<string> = new Set();

/**
 * Delivery attempts of one endpoint grouped by event, or of one event with their endpoints; each
 * opens to the endpoint's answer. A group shows its newest attempt until it is opened.
 */
export function AttemptTable(props: {
  attempts: readonly WebhookDelivery[];
  of: "endpoint" | "event";
}) {
  const nameOf = useEndpointNames();
  const [opened, setOpened] = useState<WebhookDelivery | null>(null);
  const [unfolded, setUnfolded] = useState(NO_EVENTS);
  const groups = useMemo(() => groupByEvent(props.attempts), [props.attempts]);
  const isGrouped = props.of === "endpoint" && groups.length > 1;
  const rows = isGrouped
    ? groups.flatMap(({ newest, earlier }) =>
        unfolded.has(newest.event_id) ? [newest, ...earlier] : [newest],
      )
    : props.attempts;
  const earlierOf = (row: WebhookDelivery) =>
    isGrouped ? (groups.find(({ newest }) => newest === row)?.earlier.length ?? 0) : 0;
  const toggle = (eventId: string) => {
    const next = new Set(unfolded);
    if (!next.delete(eventId)) next.add(eventId);
    setUnfolded(next);
  };
  if (props.attempts.length === 0) {
    return <Empty icon="webhook" title="No attempts" />;
  }
  const other: TableColumn<WebhookDelivery> = {
    name: props.of === "endpoint" ? "Event" : "Endpoint",
    cell: (row) => (
      <span className="row">
        {props.of === "endpoint" ? (
          <code>{row.event_type}</code>
        ) : (
          <span className="wrap-anywhere">{nameOf(row.endpoint_id) || "–"}</span>
        )}
        {row.replay && <span className="chip">replay</span>}
        {earlierOf(row) > 0 && (
          <Button
            kind="ghost"
            size="small"
            icon="down"
            aria-expanded={unfolded.has(row.event_id)}
            onClick={() => toggle(row.event_id)}
          >
            {plural(earlierOf(row) + 1, "attempt")}
          </Button>
        )}
      </span>
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
        rows={rows}
        keyOf={(row) => row.id}
      />
      <AttemptDialog attempt={opened} onClose={() => setOpened(null)} />
    </>
  );
}
