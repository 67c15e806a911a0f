import type { Conversation } from "@longwave/sdk";
import { type FormEvent, type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { useHasRole } from "../../api/account.tsx";
import { useAct } from "../../api/queries.ts";
import { useDraft } from "../../draft.ts";
import { Button } from "../../ui/button.tsx";
import { usePane } from "../../ui/pane.tsx";
import { ErrorBox } from "../../ui/problem.tsx";
import { useFilters } from "../../ui/search-params.ts";
import { SegmentMeter } from "../messages/segment-meter.tsx";
import { SenderField } from "../numbers/sender-field.tsx";
import { SnippetMenu } from "./snippets.tsx";
import type { Thread } from "./thread.ts";

/**
 * Composer of a thread. It replies from the number that the person texted last; to somebody who has
 * not written, from the number of the newest message to them.
 */
export function Reply(props: {
  phone: string;
  conversation: Conversation | null | undefined;
  thread: Thread;
}) {
  const maySend = useHasRole("member");
  const [search] = useFilters();
  const [from, setFrom] = useState("");
  const { messages } = props.thread;
  const lastFrom = messages?.findLast(({ direction }) => direction === "outbound")?.from;
  const sender = from || search["from"] || props.conversation?.number || lastFrom || "";
  const form = useDraft(`reply.${props.phone}`, { body: "" });
  const formId = useId();
  const input = useRef<HTMLTextAreaElement>(null);
  const isPane = usePane() !== null;
  useEffect(() => {
    // In a pane the focus stays in the list.
    if (!isPane) input.current?.focus({ preventScroll: true });
  }, [isPane]);
  const send = useAct(
    async (_: undefined, { api }) => {
      const sent = await api.messages.send(
        { to: props.phone, from: sender, body: form.value.body },
        { idempotencyKey: form.idempotencyKey },
      );
      if (props.conversation) await api.conversations.update(props.phone, { read: true });
      return sent;
    },
    {
      stale: ["thread", "messages", "conversation", "conversations", "inbox-summary"],
      onDone: () => form.clear(),
    },
  );
  if (!maySend) return null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (form.value.body.trim() !== "" && !send.isPending) send.mutate(undefined);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) submit(event);
  };
  const insert = (text: string) => {
    const { body } = form.value;
    form.set({ body: body.trim() === "" ? text : `${body.trimEnd()} ${text}` });
    input.current?.focus();
  };
  return (
    <div className="thread-reply">
      <form className="stack-tight" id={formId} onSubmit={submit}>
        {/* Until the conversation and its messages are read, the field would choose another number. */}
        {props.conversation !== undefined && messages !== null && (
          <SenderField value={sender} onChange={setFrom} />
        )}
        <textarea
          ref={input}
          className="textarea"
          aria-label="Reply"
          placeholder="Write a reply…"
          rows={3}
          value={form.value.body}
          onChange={(event) => form.set({ body: event.target.value })}
          onKeyDown={onKeyDown}
        />
        <SegmentMeter body={form.value.body} />
        {send.error ? <ErrorBox error={send.error} /> : null}
      </form>
      {/* Outside of the form: the dialogs of snippets have forms of their own. */}
      <div className="row">
        <Button type="submit" form={formId} kind="primary" icon="send" busy={send.isPending}>
          Reply
        </Button>
        <SnippetMenu draft={form.value.body} onPick={insert} />
        <span className="meta only-wide">
          {/Mac|iPhone/.test(navigator.userAgent) ? "⌘ Enter" : "Ctrl Enter"} to send
        </span>
      </div>
    </div>
  );
}
