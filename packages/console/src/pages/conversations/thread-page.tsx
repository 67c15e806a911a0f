import type { Contact, Message } from "@longwave/sdk";
import { Link, useParams } from "@tanstack/react-router";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { useAccount, useHasRole } from "../../api/account.tsx";
import { useAct, useRead } from "../../api/queries.ts";
import { useDraft } from "../../draft.ts";
import { Loaded } from "../../lists/loaded.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Empty } from "../../ui/empty.tsx";
import { formatClock, formatPhone } from "../../ui/format.ts";
import { lookOf } from "../../ui/looks.ts";
import { Card, type Fact, Facts, Page } from "../../ui/page.tsx";
import { ErrorBox, Note } from "../../ui/problem.tsx";
import { useFilters } from "../../ui/search-params.ts";
import { Status } from "../../ui/status.tsx";
import { Tags } from "../../ui/tags.tsx";
import { Phone, Time } from "../../ui/values.tsx";
import { Answer } from "../messages/answer.tsx";
import { SegmentMeter } from "../messages/segment-meter.tsx";
import { SenderField } from "../numbers/sender-field.tsx";
import { useThread } from "./thread.ts";

export function ThreadPage() {
  const { phone } = useParams({ strict: false }) as { phone: string };
  const { base } = useAccount();
  const thread = useThread(phone);
  return (
    <Page
      title={formatPhone(phone)}
      crumb={{ to: `${base}/conversations`, label: "Conversations" }}
      actions={
        <ButtonLink to={`${base}/messages`} search={{ number: phone }} icon="list">
          All messages
        </ButtonLink>
      }
    >
      <DidTheyGetIt messages={thread.data ?? []} />
      <div className="columns">
        <Card flush>
          <Loaded query={thread}>
            {(messages) =>
              messages.length === 0 ? (
                <Empty icon="chats" title="No texts with this number yet" />
              ) : (
                <Bubbles messages={messages} />
              )
            }
          </Loaded>
          <Reply phone={phone} messages={thread.data ?? []} />
        </Card>
        <Person phone={phone} />
      </div>
    </Page>
  );
}

/**
 * Delivery state of the newest message sent to the person: the first question that support gets.
 */
function DidTheyGetIt(props: { messages: readonly Message[] }) {
  const newest = props.messages.findLast(({ direction }) => direction === "outbound");
  if (!newest) return null;
  const about = (
    <>
      The newest text to them, <Time at={newest.created_at} />:{" "}
    </>
  );
  return <Answer message={newest} about={about} />;
}

function Bubbles(props: { messages: readonly Message[] }) {
  const { base } = useAccount();
  const end = useRef<HTMLDivElement>(null);
  const newest = props.messages.at(-1)?.id;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new message triggers the scroll
  useEffect(() => {
    // `void`: newer browsers return a promise, which is no cleanup function for an effect.
    void end.current?.scrollIntoView({ block: "nearest" });
  }, [newest]);
  return (
    <div className="thread" role="log" aria-label="Texts">
      {props.messages.map((message) => {
        const side = message.direction === "outbound" ? "own" : "theirs";
        return (
          <div key={message.id} style={{ display: "contents" }}>
            <div className="bubble" data-side={side}>
              {message.body}
            </div>
            <Link
              to={`${base}/messages/${message.id}`}
              search={{}}
              className="bubble-meta"
              data-side={side}
            >
              {formatClock(message.created_at)} · {lookOf("message", message.status).word}
              {message.auto_reply && " · automatic"}
            </Link>
          </div>
        );
      })}
      <div ref={end} />
    </div>
  );
}

function Reply(props: { phone: string; messages: readonly Message[] }) {
  const maySend = useHasRole("member");
  const [search] = useFilters();
  const last = props.messages.findLast((message) => message.direction === "inbound");
  const [from, setFrom] = useState("");
  const sender = from || search["from"] || last?.to || "";
  const form = useDraft(`reply.${props.phone}`, { body: "" });
  const send = useAct(
    (_: undefined, { api }) =>
      api.messages.send(
        { to: props.phone, from: sender, body: form.value.body },
        { idempotencyKey: form.idempotencyKey },
      ),
    { stale: ["thread", "messages", "conversations"], onDone: () => form.clear() },
  );
  if (!maySend) return null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (form.value.body.trim() !== "") send.mutate(undefined);
  };
  return (
    <form
      className="card-foot stack-tight"
      style={{ display: "flex", alignItems: "stretch" }}
      onSubmit={submit}
    >
      <SenderField value={sender} onChange={setFrom} />
      <textarea
        className="textarea"
        aria-label="Reply"
        placeholder="Write a reply…"
        rows={3}
        value={form.value.body}
        onChange={(event) => form.set({ body: event.target.value })}
      />
      <SegmentMeter body={form.value.body} />
      {send.error ? <ErrorBox error={send.error} /> : null}
      <div className="row">
        <Button type="submit" kind="primary" icon="send" busy={send.isPending}>
          Reply
        </Button>
      </div>
    </form>
  );
}

/** Facts of the contact, as far as the account has them. */
function contactFacts(contact: Contact, base: string): readonly (Fact | null)[] {
  return [
    {
      name: "Contact",
      value: (
        <Link to={`${base}/contacts/${contact.id}`} search={{}} className="wrap-anywhere">
          {contact.name ?? contact.email ?? "Without a name"}
        </Link>
      ),
    },
    contact.company === null ? null : { name: "Company", value: contact.company },
    contact.tags.length === 0 ? null : { name: "Tags", value: <Tags tags={contact.tags} /> },
  ];
}

function Person(props: { phone: string }) {
  const { base } = useAccount();
  const consent = useRead(["consent", props.phone, "state"], (api, signal) =>
    api.consent.list({ phone_number: props.phone }, { signal }),
  );
  const states = consent.data?.data ?? [];
  const contacts = useRead(["contacts", "of", props.phone], (api, signal) =>
    api.contacts.list({ phone_number: props.phone, limit: 1 }, { signal }),
  );
  const contact = contacts.data?.data[0];
  return (
    <Card title="Person">
      <div className="stack">
        <Facts
          facts={[
            { name: "Phone", value: <Phone value={props.phone} /> },
            ...(contact ? contactFacts(contact, base) : []),
          ]}
        />
        {states.map((state) => (
          <Facts
            key={state.customer_id ?? ""}
            facts={[
              { name: "Consent", value: <Status machine="consent" state={state.status} /> },
              { name: "Since", value: <Time at={state.updated_at} /> },
              { name: "Source", value: state.source },
            ]}
          />
        ))}
        {states.some((state) => state.status === "opted_out") && (
          <Note tone="red">Texts to this person are refused while the opt-out stands.</Note>
        )}
        <ButtonLink to={`${base}/consent/${props.phone}`} icon="consent">
          History and proof
        </ButtonLink>
      </div>
    </Card>
  );
}
