import type { ApiKey } from "@longwave/sdk";
import { useRead } from "../../api/queries.ts";
import { Loaded } from "../../lists/loaded.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Card } from "../../ui/page.tsx";
import { Badge } from "../../ui/status.tsx";
import { Table, type TableColumn } from "../../ui/table.tsx";
import { Time } from "../../ui/values.tsx";

const COLUMNS: readonly TableColumn<ApiKey>[] = [
  { name: "Name", cell: (key) => <span className="strong">{key.name ?? "–"}</span> },
  {
    name: "Mode",
    cell: (key) => (
      <Badge
        tone={key.mode === "live" ? "slate" : "orange"}
        word={key.mode === "live" ? "Live" : "Test"}
      />
    ),
  },
  {
    name: "Permissions",
    cell: (key) => (key.scopes === null ? "Full access" : key.scopes.join(", ")),
  },
  { name: "Ends in", cell: (key) => <span className="mono">{key.last4 ?? "–"}</span> },
  { name: "Last used", right: true, cell: (key) => <Time at={key.last_used_at} /> },
  {
    name: "Created",
    right: true,
    cell: (key) => (key.revoked_at ? "Revoked" : <Time at={key.created_at} />),
  },
];

export function OperatorKeys(props: { accountId: string }) {
  const keys = useRead(["op-keys", props.accountId], (api, signal) =>
    api.operator.keys.list(props.accountId, { limit: 100 }, { signal }),
  );
  return (
    <Card title="API keys" flush>
      <Loaded query={keys}>
        {(page) =>
          page.data.length === 0 ? (
            <Empty icon="key" title="No keys" />
          ) : (
            <Table
              label="Keys of the account"
              bare
              columns={COLUMNS}
              rows={page.data}
              keyOf={(key) => key.id}
            />
          )
        }
      </Loaded>
    </Card>
  );
}
