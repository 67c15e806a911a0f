import type { Message } from "@longwave/sdk";
import { Link } from "@tanstack/react-router";
import { useAccount } from "../../api/account.tsx";
import { Button } from "../../ui/button.tsx";
import { Empty, SkeletonCard } from "../../ui/empty.tsx";
import { formatExact, formatHour } from "../../ui/format.ts";
import { lookOf } from "../../ui/looks.ts";
import { ErrorBox } from "../../ui/problem.tsx";
import { notDelivered } from "../messages/answer.tsx";
import { byDay, type Thread } from "./thread.ts";

/** Messages with one person by day. The newest one is in view; older ones load on demand. */
export function Bubbles(props: { thread: Thread }) {
  const { thread } = props;
  if (thread.error) return <ErrorBox error={thread.error} onRetry={thread.retry} />;
  if (thread.messages === null) return <SkeletonCard lines={6} />;
  if (thread.messages.length === 0) {
    return <Empty icon="chats" title="No messages with this person yet" />;
  }
  return (
    // A scrolling region must be focusable by keyboard.
    <section className="thread-scroll" aria-label="Messages by day" tabIndex={0}>
      <div className="thread" role="log" aria-label="Messages">
        {thread.hasOlder && (
          <Button
            kind="ghost"
            size="small"
            icon="retry"
            busy={thread.isLoadingOlder}
            onClick={thread.loadOlder}
          >
            Show older messages
          </Button>
        )}
        {byDay(thread.messages).map(({ day, messages }) => (
          <div key={day} className="thread-day">
            <h3 className="thread-date">{day}</h3>
            {messages.map((message) => (
              <Bubble key={message.id} message={message} />
            ))}
          </div>
        ))}
      </div>
    </section>
  );
}

function Bubble(props: { message: Message }) {
  const { base } = useAccount();
  const { message } = props;
  const side = message.direction === "outbound" ? "own" : "theirs";
  const isFailed = message.status === "failed" || undefined;
  return (
    <>
      <div className="bubble" data-side={side} data-failed={isFailed}>
        {message.body}
      </div>
      <Link
        to={`${base}/messages/${message.id}`}
        search={{}}
        className="bubble-meta"
        data-side={side}
        data-failed={isFailed}
        title={formatExact(message.created_at)}
      >
        {formatHour(message.created_at)} · {stateOf(message)}
        {message.auto_reply && " · automatic"}
      </Link>
    </>
  );
}

function stateOf(message: Message): string {
  if (message.failure) return notDelivered(message.failure);
  return lookOf("message", message.status).word;
}
