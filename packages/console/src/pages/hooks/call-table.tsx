import type { HookRequest } from "@longwave/sdk";
import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Empty } from "../../ui/empty.tsx";
import { formatExact } from "../../ui/format.ts";
import { Facts } from "../../ui/page.tsx";
import { Badge } from "../../ui/status.tsx";
import { Table, type TableColumn } from "../../ui/table.tsx";
import { Time } from "../../ui/values.tsx";
import { Understood } from "./understood.tsx";
import { outcomeOf, summaryOf } from "./words.ts";

const COLUMNS: readonly TableColumn<HookRequest>[] = [
  { name: "Outcome", cell: (call) => <Badge {...outcomeOf(call)} /> },
  { name: "Understood", cell: (call) => <span className="wrap-anywhere">{summaryOf(call)}</span> },
  { name: "Status", right: true, cell: (call) => <span className="tabular">{call.status}</span> },
  { name: "When", right: true, cell: (call) => <Time at={call.created_at} /> },
];

/** Calls of a hook; each opens to what was understood. */
export function CallTable(props: { calls: readonly HookRequest[] }) {
  const [opened, setOpened] = useState<HookRequest | null>(null);
  if (props.calls.length === 0) {
    return (
      <Empty icon="link" title="No calls yet">
        “Test a call” reads the body of one without sending anything.
      </Empty>
    );
  }
  const open: TableColumn<HookRequest> = {
    name: "Open",
    nameless: true,
    right: true,
    cell: (call) => (
      <Button size="small" onClick={() => setOpened(call)}>
        Details
      </Button>
    ),
  };
  return (
    <>
      <Table
        label="Calls"
        bare
        columns={[...COLUMNS, open]}
        rows={props.calls}
        keyOf={(call) => call.id}
      />
      <Dialog
        title="Parsed messages"
        isOpen={opened !== null}
        onClose={() => setOpened(null)}
        size="wide"
      >
        {opened && (
          <div className="dialog-body stack">
            <Facts
              facts={[
                { name: "Outcome", value: <Badge {...outcomeOf(opened)} /> },
                { name: "Status", value: opened.status },
                { name: "When", value: formatExact(opened.created_at) },
              ]}
            />
            <Understood call={opened} />
          </div>
        )}
      </Dialog>
    </>
  );
}
