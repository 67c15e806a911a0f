import { useAccount, useHasRole } from "../../api/account.tsx";
import { useRead } from "../../api/queries.ts";
import { Loaded } from "../../lists/loaded.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import { Code, Json } from "../../ui/code.tsx";
import { Id } from "../../ui/copy.tsx";
import { Empty } from "../../ui/empty.tsx";
import { formatTook } from "../../ui/format.ts";
import { Card, Facts, Page } from "../../ui/page.tsx";
import { usePageParams } from "../../ui/pane.tsx";
import { ErrorCodeLink, Note } from "../../ui/problem.tsx";
import { RoleNeeded } from "../../ui/role-needed.tsx";
import { Badge } from "../../ui/status.tsx";
import { Time } from "../../ui/values.tsx";
import { curlOf, parsedBody, readRequest, toneOf, type WholeRequest } from "./request.ts";

/** One logged request, by the id from its answer. */
export function RequestPage() {
  const { id } = usePageParams<{ id: string }>();
  const { base, scope } = useAccount();
  const mayRead = useHasRole("member");
  const found = useRead(["request", id], (_, signal) => readRequest(scope, id, signal), {
    enabled: mayRead,
  });
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

function RequestDetails(props: { request: WholeRequest }) {
  const { base } = useAccount();
  const { request } = props;
  const { code, key, path, status } = request;
  // `/v1/messages` of `/v1/messages/msg_…`: links to other requests of the same resource.
  const family = path.split("/").slice(0, 3).join("/");
  return (
    <div className="stack-wide">
      {request.message !== null && (
        <Note tone={toneOf(status) === "red" ? "red" : "amber"}>
          {request.param !== null && !request.message.startsWith(request.param) && (
            <>
              <code>{request.param}</code>:{" "}
            </>
          )}
          {request.message}
        </Note>
      )}
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
            { name: "Duration", value: formatTook(request.duration_ms) },
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
      <Contents request={request} />
    </div>
  );
}

/** The call as a command, and the bodies that the server kept. */
function Contents(props: { request: WholeRequest }) {
  const { request } = props;
  return (
    <div className="stack">
      <Code samples={[{ title: "cURL", text: curlOf(request, location.origin) }]} />
      {request.body !== null && <Body title="Request body" text={request.body} />}
      {request.answer !== null && <Body title="Response body" text={request.answer} />}
      <p className="meta">
        Queries and the bodies of successful calls are not stored. Secrets are redacted, and a body
        is cut at 2 KB.
      </p>
    </div>
  );
}

function Body(props: { title: string; text: string }) {
  const value = parsedBody(props.text);
  return value === null ? (
    <Code samples={[{ title: `${props.title}, cut`, text: props.text }]} />
  ) : (
    <Json title={props.title} value={value} />
  );
}
