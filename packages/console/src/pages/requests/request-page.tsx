import { useAccount, useHasRole } from "../../api/account.tsx";
import { useRead } from "../../api/queries.ts";
import { Loaded } from "../../lists/loaded.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import { Id } from "../../ui/copy.tsx";
import { Empty } from "../../ui/empty.tsx";
import { formatTook } from "../../ui/format.ts";
import { Card, Facts, Page } from "../../ui/page.tsx";
import { usePageParams } from "../../ui/pane.tsx";
import { ErrorCodeLink } from "../../ui/problem.tsx";
import { RoleNeeded } from "../../ui/role-needed.tsx";
import { Badge } from "../../ui/status.tsx";
import { Time } from "../../ui/values.tsx";
import { type LoggedRequest, listRequests, toneOf } from "./request.ts";

/** One logged request, by the id from its answer. */
export function RequestPage() {
  const { id } = usePageParams<{ id: string }>();
  const { base, scope } = useAccount();
  const mayRead = useHasRole("member");
  const found = useRead(
    ["request", id],
    async (_, signal) => (await listRequests(scope, { request_id: id }, signal)).data[0] ?? null,
    { enabled: mayRead },
  );
  return (
    <Page
      title={found.data ? `${found.data.method} ${found.data.path}` : "Request"}
      crumb={{ to: `${base}/requests`, label: "Request log" }}
    >
      {mayRead ? (
        <Loaded query={found}>
          {(request) => (request === null ? <Gone /> : <RequestDetails request={request} />)}
        </Loaded>
      ) : (
        <RoleNeeded needed="member" what="the request log" />
      )}
    </Page>
  );
}

function Gone() {
  return (
    <Card>
      <Empty icon="list" title="This call is not in the log">
        It is older than seven days, of the other mode, or of another account.
      </Empty>
    </Card>
  );
}

function RequestDetails(props: { request: LoggedRequest }) {
  const { base } = useAccount();
  const { request } = props;
  const { code, key, path, status } = request;
  // `/v1/messages` of `/v1/messages/msg_…`: links to other requests of the same resource.
  const family = path.split("/").slice(0, 3).join("/");
  return (
    <div className="stack-wide">
      <Card title="Call">
        <Facts
          facts={[
            { name: "Id", value: <Id value={request.id} /> },
            { name: "Status", value: <Badge tone={toneOf(status)} word={String(status)} /> },
            { name: "Method", value: <code>{request.method}</code> },
            { name: "Path", value: <code className="wrap-anywhere">{path}</code> },
            code === null ? null : { name: "Code", value: <ErrorCodeLink code={code} /> },
            request.replayed
              ? {
                  name: "Replayed",
                  value: "The call repeated an Idempotency-Key and got the earlier answer.",
                }
              : null,
            { name: "Took", value: formatTook(request.duration_ms) },
            { name: "When", value: <Time at={request.created_at} /> },
            { name: "Key", value: key.name ?? <Id value={key.id} /> },
          ]}
        />
      </Card>
      <div className="row">
        <ButtonLink to={`${base}/requests`} search={{ path: family }} icon="list">
          Calls of {family}
        </ButtonLink>
        {code !== null && (
          <ButtonLink to={`${base}/requests`} search={{ code }} icon="alert">
            All {code}
          </ButtonLink>
        )}
        <ButtonLink to={`${base}/requests`} search={{ key: key.id }} icon="key">
          Calls of this key
        </ButtonLink>
      </div>
      <p className="meta">The contents of the call and its answer are not stored.</p>
    </div>
  );
}
