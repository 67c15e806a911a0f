import type { KeptCallback } from "@longwave/sdk";
import { useState } from "react";
import { useAct, useRead } from "../../api/queries.ts";
import { Loaded } from "../../lists/loaded.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Empty } from "../../ui/empty.tsx";
import { formatCount, formatExact } from "../../ui/format.ts";
import { Card, Facts } from "../../ui/page.tsx";
import { ErrorBox, Note } from "../../ui/problem.tsx";
import { Table, type TableColumn } from "../../ui/table.tsx";
import { toast } from "../../ui/toast.tsx";
import { Time } from "../../ui/values.tsx";

const SHOWN = 50;
const REFETCH_MS = 10_000;

/** Callbacks that had no effect, with the paths that would match, and a second reading. */
export function KeptCallbacks(props: { carrier: string }) {
  const { carrier } = props;
  const [opened, setOpened] = useState<KeptCallback | null>(null);
  const kept = useRead(
    ["op-kept-callbacks", carrier],
    (api, signal) => api.operator.carriers.keptCallbacks(carrier, { limit: SHOWN }, { signal }),
    { refetchMs: REFETCH_MS },
  );
  const replay = useAct(
    (_: undefined, { api, idempotencyKey }) =>
      api.operator.carriers.replayCallbacks(carrier, { idempotencyKey }),
    {
      stale: ["op-kept-callbacks"],
      onDone: ({ read, unread }) =>
        toast(
          `${formatCount(read)} read now, ${formatCount(unread.length)} still without an effect.`,
        ),
    },
  );
  const columns: readonly TableColumn<KeptCallback>[] = [
    { name: "Reason", cell: (each) => <span className="wrap-anywhere">{each.reason}</span> },
    { name: "Times", right: true, cell: (each) => formatCount(each.times) },
    { name: "When", right: true, cell: (each) => <Time at={each.last_at} /> },
    {
      name: "Open",
      nameless: true,
      right: true,
      cell: (each) => (
        <Button size="small" onClick={() => setOpened(each)}>
          Details
        </Button>
      ),
    },
  ];
  const isEmpty = kept.data?.data.length === 0;
  return (
    <Card
      title="Kept callbacks"
      flush
      aside={
        kept.data && !isEmpty ? (
          <Button
            size="small"
            icon="retry"
            busy={replay.isPending}
            onClick={() => replay.mutate(undefined)}
          >
            Replay
          </Button>
        ) : undefined
      }
      foot={
        <span>
          Unreadable callbacks, and receipts of no known message: the newest {SHOWN}, kept for 7
          days. Replay them after a change of the carriers file.
        </span>
      }
    >
      {replay.error ? <ErrorBox error={replay.error} /> : null}
      <Loaded query={kept}>
        {(page) =>
          page.data.length === 0 ? (
            <Empty icon="check" title="No kept callbacks" />
          ) : (
            <Table
              label="Kept callbacks"
              bare
              columns={columns}
              rows={page.data}
              keyOf={(each) => each.id}
            />
          )
        }
      </Loaded>
      <Dialog
        title="Kept callback"
        isOpen={opened !== null}
        onClose={() => setOpened(null)}
        size="wide"
      >
        {opened && <Kept callback={opened} />}
      </Dialog>
    </Card>
  );
}

function Kept(props: { callback: KeptCallback }) {
  const { callback } = props;
  const { matches, body, query } = callback;
  return (
    <div className="dialog-body stack">
      <Note tone="amber">{callback.reason}</Note>
      <Facts
        facts={[
          { name: "Called", value: callback.kind },
          { name: "Contents", value: callback.is_item ? "One receipt" : "A whole callback" },
          { name: "Media type", value: callback.content_type || "–" },
          query === "" ? null : { name: "Query", value: <code>{query}</code> },
          { name: "First", value: formatExact(callback.first_at) },
          { name: "Last", value: formatExact(callback.last_at) },
        ]}
      />
      <section className="stack-tight" aria-label="Mapping that would match">
        <h3>Mapping that would match</h3>
        {matches.length === 0 ? (
          <p className="muted">No path names a message, a state, a phone or a text.</p>
        ) : (
          <Table
            label="Paths"
            bare
            columns={MATCH_COLUMNS}
            rows={matches}
            keyOf={(each) => `${each.field} ${each.path}`}
          />
        )}
      </section>
      <section className="stack-tight" aria-label="Contents">
        <h3>Contents</h3>
        <div className="code">
          <pre tabIndex={0} style={{ whiteSpace: "pre-wrap" }}>
            {body || "The body is empty."}
          </pre>
        </div>
      </section>
    </div>
  );
}

const MATCH_COLUMNS: readonly TableColumn<KeptCallback["matches"][number]>[] = [
  { name: "Field", cell: (each) => <code>{each.field}</code> },
  { name: "Path", cell: (each) => <code className="wrap-anywhere">{each.path}</code> },
  { name: "Value", cell: (each) => <span className="wrap-anywhere">{each.value}</span> },
  {
    name: "Message",
    cell: (each) => (each.message_id === null ? "–" : <code>{each.message_id}</code>),
  },
];
