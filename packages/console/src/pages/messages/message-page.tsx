import type { Message, MessageTimeline } from "@longwave/sdk";
import { useAccount, useHasRole } from "../../api/account.tsx";
import { useContactName } from "../../api/names.ts";
import { useRead } from "../../api/queries.ts";
import { useHasBilling } from "../../api/session.ts";
import { Loaded } from "../../lists/loaded.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import { Code, Json } from "../../ui/code.tsx";
import { Id } from "../../ui/copy.tsx";
import { formatPhone, plural } from "../../ui/format.ts";
import { Icon } from "../../ui/icons.tsx";
import { type NamedKind, NamedLink } from "../../ui/named-link.tsx";
import { Card, Facts, Page } from "../../ui/page.tsx";
import { usePageParams } from "../../ui/pane.tsx";
import { Status } from "../../ui/status.tsx";
import { Timeline } from "../../ui/timeline.tsx";
import { Money, Phone, Time } from "../../ui/values.tsx";
import { Answer } from "./answer.tsx";
import { DeleteBody } from "./delete-body.tsx";
import { personOf } from "./person-of.ts";
import { sendSamples } from "./samples.ts";
import { SegmentStrip } from "./segment-strip.tsx";
import { timelineItems } from "./timeline-items.tsx";
import { endpointSummary, lanesOf } from "./webhook-lane.ts";

export function MessagePage() {
  const { id } = usePageParams<{ id: string }>();
  const { base } = useAccount();
  const message = useRead(["message", id], (api, signal) => api.messages.get(id, { signal }), {
    refetchMs: 5_000,
  });
  const value = message.data;
  const phone = value ? personOf(value) : "";
  const who = useContactName(phone) ?? formatPhone(phone);
  const timeline = useRead(
    ["message", id, "timeline"],
    (api, signal) => api.messages.timeline(id, { signal }),
    { refetchMs: 5_000 },
  );
  return (
    <Page
      title={value ? `Message ${value.direction === "outbound" ? "to" : "from"} ${who}` : "Message"}
      crumb={{ to: `${base}/messages`, label: "Messages" }}
      actions={value && <Actions message={value} />}
    >
      <Loaded query={message}>
        {(value) => (
          <div className="stack-wide">
            <Answer message={value} />
            <div className="columns">
              <div className="stack-wide">
                <Card title="Timeline">
                  <Loaded query={timeline}>{(read) => <Moments timeline={read} />}</Loaded>
                </Card>
                <Samples message={value} />
              </div>
              <Details message={value} />
            </div>
          </div>
        )}
      </Loaded>
    </Page>
  );
}

function Moments(props: { timeline: MessageTimeline }) {
  const { delivery, webhooks } = lanesOf(props.timeline.entries);
  return (
    <div className="stack">
      <Timeline moments={timelineItems(delivery)} />
      {webhooks.length > 0 && (
        <details className="timeline-lane">
          <summary>
            <span className="timeline-dot" data-tone="violet">
              <Icon name="webhook" size={12} />
            </span>
            <span>
              {endpointSummary(webhooks)}{" "}
              <span className="meta">· show {plural(webhooks.length, "attempt")}</span>
            </span>
          </summary>
          <Timeline moments={timelineItems(webhooks)} start={delivery[0]?.at} />
        </details>
      )}
    </div>
  );
}

function Actions(props: { message: Message }) {
  const { base } = useAccount();
  const maySend = useHasRole("member");
  const { message } = props;
  const person = message.direction === "outbound" ? message.to : message.from;
  return (
    <>
      <ButtonLink to={`${base}/conversations/${person}`} icon="chats">
        Conversation
      </ButtonLink>
      <DeleteBody message={message} />
      {maySend && message.direction === "outbound" && message.body !== "" && (
        <ButtonLink
          to={`${base}/messages/new`}
          search={{ to: message.to, from: message.from, body: message.body }}
          icon="retry"
        >
          Send again
        </ButtonLink>
      )}
    </>
  );
}

const ENCODING_WORDS: Readonly<Record<Message["encoding"], string>> = {
  gsm7: "GSM-7",
  ucs2: "UCS-2",
};

function Details(props: { message: Message }) {
  const hasBilling = useHasBilling();
  const { mode } = useAccount();
  const { message } = props;
  return (
    <div className="stack-wide">
      <Card
        title="Text"
        foot={
          <span>
            {plural(message.segments, "segment")} · {ENCODING_WORDS[message.encoding]}
          </span>
        }
      >
        {message.body === "" ? (
          <p className="muted">This message has no body, or it was deleted.</p>
        ) : (
          <SegmentStrip body={message.body} />
        )}
      </Card>
      <Card title="Details">
        <Facts
          facts={[
            { name: "Status", value: <Status machine="message" state={message.status} /> },
            { name: "Id", value: <Id value={message.id} /> },
            { name: "To", value: <Phone value={message.to} /> },
            { name: "From", value: <Phone value={message.from} /> },
            hasBilling ? { name: "Price", value: <Money usd={message.price} /> } : null,
            { name: "Mode", value: mode === "test" ? "Sandbox" : "Live" },
            message.carrier === null ? null : { name: "Carrier", value: message.carrier },
            message.auto_reply ? { name: "Kind", value: "Automatic reply" } : null,
            namedFact("Batch", "batches", message.batch_id),
            namedFact("Pool", "pools", message.pool_id),
            namedFact("Customer", "customers", message.customer_id),
            { name: "Created", value: <Time at={message.created_at} /> },
            { name: "Sent", value: <Time at={message.sent_at} /> },
            { name: "Delivered", value: <Time at={message.delivered_at} /> },
          ]}
        />
      </Card>
    </div>
  );
}

function namedFact(name: string, kind: NamedKind, id: string | null) {
  return id === null ? null : { name, value: <NamedLink kind={kind} id={id} /> };
}

function Samples(props: { message: Message }) {
  const { from, to, body } = props.message;
  return (
    <div className="stack">
      {props.message.direction === "outbound" && <Code samples={sendSamples({ from, to, body })} />}
      <Json value={props.message} title="Message" />
    </div>
  );
}
