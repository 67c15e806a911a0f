import { useRead } from "../../api/queries.ts";
import { Loaded } from "../../reading/loaded.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Card } from "../../ui/page.tsx";
import { Badge } from "../../ui/status.tsx";
import { Time } from "../../ui/values.tsx";

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
            <div className="table-scroll">
              <table className="table">
                <thead>
                  <tr>
                    <th scope="col">Name</th>
                    <th scope="col">Mode</th>
                    <th scope="col">Scopes</th>
                    <th scope="col">Ends in</th>
                    <th scope="col" className="right">
                      Created
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {page.data.map((key) => (
                    <tr key={key.id}>
                      <td className="strong">{key.name ?? "–"}</td>
                      <td>
                        <Badge tone={key.mode === "live" ? "slate" : "orange"} word={key.mode} />
                      </td>
                      <td>{key.scopes === null ? "Full access" : key.scopes.join(", ")}</td>
                      <td className="mono">{key.last4 ?? "–"}</td>
                      <td className="right nowrap">
                        {key.revoked_at ? "Revoked" : <Time at={key.created_at} />}
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )
        }
      </Loaded>
    </Card>
  );
}
