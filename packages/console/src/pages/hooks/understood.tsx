import type { HookMessage, HookTest } from "@longwave/sdk";
import { Link } from "@tanstack/react-router";
import { useAccount } from "../../api/account.tsx";
import { formatPhone } from "../../ui/format.ts";
import { Note } from "../../ui/problem.tsx";
import { Badge } from "../../ui/status.tsx";
import { summaryOf } from "./words.ts";

/** Reading of a call: its messages, or the reason why there are none, and the call's paths. */
export function Understood(props: { call: Pick<HookTest, "error" | "messages" | "paths"> }) {
  const { call } = props;
  const { error, messages, paths } = call;
  return (
    <section className="stack" aria-label="Parsed messages">
      {error !== null && (
        <Note tone="red">
          {error.message}
          {error.param !== null && (
            <>
              {" "}
              <code>{error.param}</code>
            </>
          )}
        </Note>
      )}
      {error === null && messages.length === 0 && <Note tone="slate">{summaryOf(call)}</Note>}
      {messages.length > 0 && (
        <ol className="stack-tight" aria-label="Messages" style={{ paddingLeft: 20 }}>
          {messages.map((message, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: messages of a call have an order and no id
            <li key={at}>
              <OneMessage message={message} isAlone={error !== null} />
            </li>
          ))}
        </ol>
      )}
      <details>
        <summary>Paths that the call has values at</summary>
        {paths.length === 0 ? (
          <p className="muted">None: the body is empty, or neither JSON nor a form.</p>
        ) : (
          <ul className="stack-tight wrap-anywhere" aria-label="Paths">
            {paths.map((path) => (
              <li key={path}>
                <code>{path}</code>
              </li>
            ))}
          </ul>
        )}
      </details>
    </section>
  );
}

/** `isAlone`: the note above the list shows the same error. */
function OneMessage(props: { message: HookMessage; isAlone: boolean }) {
  const { base } = useAccount();
  const { to, body, error, message_id: id } = props.message;
  return (
    <div className="stack-tight">
      <span className="row">
        <strong>{to === null ? "No recipient" : formatPhone(to)}</strong>
        {error !== null && <Badge tone="red" icon="x" word="Refused" />}
        {id !== null && (
          <Link to={`${base}/messages/${id}`} search={{}}>
            Open the message
          </Link>
        )}
      </span>
      <span className="wrap-anywhere" style={{ whiteSpace: "pre-wrap" }}>
        {body}
      </span>
      {error !== null && !props.isAlone && <span className="muted">{error.message}</span>}
    </div>
  );
}
