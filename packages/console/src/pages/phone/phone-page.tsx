import type { Event, Message, WebhookDelivery } from "@longwave/sdk";
import { Link } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { useAccount, useHasRole } from "../../api/account.tsx";
import { consoleCall } from "../../api/client.ts";
import { useAct, useRead } from "../../api/queries.ts";
import { useTail } from "../../live/use-live.ts";
import { Button } from "../../ui/button.tsx";
import { Json } from "../../ui/code.tsx";
import { Empty } from "../../ui/empty.tsx";
import { formatClock, formatPhone } from "../../ui/format.ts";
import { Icon } from "../../ui/icons.tsx";
import { lookOf } from "../../ui/looks.ts";
import { Card, Page } from "../../ui/page.tsx";
import { ErrorBox, Note } from "../../ui/problem.tsx";
import { stringifySearch, useFilters } from "../../ui/search-params.ts";
import { Badge } from "../../ui/status.tsx";
import { Countdown, useNow } from "../../ui/values.tsx";
import { useThread } from "../conversations/thread.ts";
import { SenderField } from "../numbers/sender-field.tsx";
import { nextRetryAt, useReplay } from "../webhooks/tries.ts";
import { useEndpointNames } from "../webhooks/use-endpoint-names.ts";
import { MAGIC_NUMBERS } from "./magic.ts";
import { type Bubble, PhoneScreen } from "./phone-screen.tsx";

const OWNER_DEFAULT = "+15005550000";
const EVENTS_SHOWN = 30;
const ATTEMPTS_REFETCH_MS = 3_000;
const KEYWORDS = ["STOP", "START", "HELP"] as const;

/** A simulated phone: shows sandbox messages as their recipient sees them, and replies. */
export function PhonePage() {
  const { mode } = useAccount();
  const [search, set] = useFilters();
  const owner = search["as"] ?? OWNER_DEFAULT;
  const ours = search["to"] ?? "";
  if (mode === "live") {
    return (
      <Page title="Sandbox phone">
        <Note tone="amber">The phone lives in the sandbox. Switch the mode above to use it.</Note>
      </Page>
    );
  }
  return (
    <Page
      title="Sandbox phone"
      about="Play the recipient. Nothing leaves this machine."
      actions={<OwnerChoice value={owner} onChange={(phone) => set({ as: phone })} />}
    >
      <div className="phone-layout">
        <Handset owner={owner} ours={ours} onOurs={(phone) => set({ to: phone })} />
        <EventsAndAttempts key={owner} owner={owner} />
      </div>
    </Page>
  );
}

function OwnerChoice(props: { value: string; onChange: (phone: string) => void }) {
  const isMagic = MAGIC_NUMBERS.some((each) => each.phone === props.value);
  return (
    <select
      className="select"
      aria-label="Owner of the phone"
      value={props.value}
      onChange={(event) => props.onChange(event.target.value)}
    >
      {!isMagic && <option value={props.value}>{formatPhone(props.value)}</option>}
      {MAGIC_NUMBERS.map((each) => (
        <option key={each.phone} value={each.phone}>
          {`${formatPhone(each.phone)} · ${each.outcome}`}
        </option>
      ))}
    </select>
  );
}

function Handset(props: { owner: string; ours: string; onOurs: (phone: string) => void }) {
  const { owner, ours, onOurs } = props;
  const thread = useThread(owner);
  const codes = useCodes(owner);
  const [text, setText] = useState("");
  const reply = useAct(
    (body: string, { api, idempotencyKey }) =>
      api.test.inbound({ from: owner, to: ours, body }, { idempotencyKey }),
    { stale: ["thread", "messages", "conversations"], onDone: () => setText("") },
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() !== "") reply.mutate(text);
  };
  const bubbles = [
    ...(thread.data ?? []).filter((message) => arrived(message)).map(bubbleOf),
    ...codes,
  ];
  return (
    <div className="stack">
      <PhoneScreen
        title={ours || "Your number"}
        about={`on the phone of ${formatPhone(owner)}`}
        bubbles={bubbles}
      >
        <div className="phone-keys">
          {KEYWORDS.map((word) => (
            <Button
              key={word}
              size="small"
              disabled={ours === ""}
              onClick={() => reply.mutate(word)}
            >
              {word}
            </Button>
          ))}
        </div>
        <form className="phone-reply" onSubmit={submit}>
          <input
            className="input"
            aria-label="Text message"
            placeholder="Text message"
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
          <Button
            type="submit"
            kind="primary"
            icon="send"
            aria-label="Send"
            busy={reply.isPending}
            disabled={ours === ""}
          />
        </form>
      </PhoneScreen>
      {reply.error ? <ErrorBox error={reply.error} /> : null}
      <SenderField numbersOnly value={ours} onChange={onOurs} />
    </div>
  );
}

/** Messages that never reached the phone are not on its screen. */
function arrived(message: Message): boolean {
  return message.direction === "inbound" || message.status === "delivered";
}

function bubbleOf(message: Message): Bubble {
  const isOwn = message.direction === "inbound";
  return {
    key: message.id,
    side: isOwn ? "own" : "theirs",
    text: message.body,
    meta: `${formatClock(message.created_at)}${message.auto_reply ? " · automatic" : ""}`,
  };
}

/**
 * Verification codes come from the service's own numbers and are in no thread; events carry them.
 */
function useCodes(owner: string): Bubble[] {
  const sent = useTail((event) => event.type === "verification.sent" && event.data.phone === owner);
  const ids = sent.flatMap((event) =>
    event.type === "verification.sent" ? [event.data.verification_id] : [],
  );
  const newest = ids[0];
  const read = useRead(
    ["verification", newest],
    (api, signal) => api.verify.get(newest ?? "", { signal }),
    { enabled: newest !== undefined },
  );
  const { data } = read;
  if (!data || data.phone !== owner || data.test_code === undefined) return [];
  const name = data.app_name ?? "verification";
  return [
    {
      key: data.id,
      side: "theirs",
      text: `Your ${name} code is ${data.test_code}.`,
      meta: formatClock(data.created_at),
    },
  ];
}

/** Events that name this phone, and the webhook attempts of these events alone. */
function EventsAndAttempts(props: { owner: string }) {
  const { owner } = props;
  const events = useTail((event) => mentions(event, owner)).slice(0, EVENTS_SHOWN);
  return (
    <>
      <EventsPanel owner={owner} events={events} />
      <AttemptsPanel owner={owner} events={events} />
    </>
  );
}

function EventsPanel(props: { owner: string; events: readonly Event[] }) {
  const { events } = props;
  const [opened, setOpened] = useState<string | null>(null);
  return (
    <Card title="Events" aside={<Badge tone="green" icon="dot" word="Connected" />} flush>
      {events.length === 0 ? (
        <Empty icon="bolt" title="Waiting for events">
          Send a text to {formatPhone(props.owner)}, or write one on the phone.
        </Empty>
      ) : (
        <ul>
          {events.map((event) => (
            <EventLine
              key={event.id}
              event={event}
              isOpen={event.id === opened}
              onToggle={() => setOpened(event.id === opened ? null : event.id)}
            />
          ))}
        </ul>
      )}
    </Card>
  );
}

/** An event; expanded, it shows the webhook payload. */
function EventLine(props: { event: Event; isOpen: boolean; onToggle: () => void }) {
  const { base } = useAccount();
  const { event, isOpen } = props;
  return (
    <li>
      <button
        type="button"
        className="alarm event-line"
        aria-expanded={isOpen}
        onClick={props.onToggle}
      >
        <time className="meta">{formatClock(event.created_at)}</time>
        <code className="cut grow">{event.type}</code>
        <Icon name="down" />
      </button>
      {isOpen && (
        <div className="card-body stack-tight">
          <Json value={event} title={event.type} />
          <Link to={`${base}/events/${event.id}`} search={{}} className="meta">
            Receiving number
          </Link>
        </div>
      )}
    </li>
  );
}

function mentions(event: Event, phone: string): boolean {
  return Object.values(event.data).includes(phone);
}

function AttemptsPanel(props: { owner: string; events: readonly Event[] }) {
  const { base, scope } = useAccount();
  const ids = props.events.map(({ id }) => id).join(",");
  const attempts = useRead(
    ["deliveries", "of", ids],
    (_, signal) =>
      consoleCall<{ readonly data: readonly WebhookDelivery[] }>(
        `/${scope.join("/")}/event-attempts${stringifySearch({ ids })}`,
        { signal },
      ),
    { refetchMs: ATTEMPTS_REFETCH_MS, enabled: ids !== "", keepsPrevious: true },
  );
  const nameOf = useEndpointNames();
  const rows = attempts.data?.data ?? [];
  return (
    <Card title="Webhook attempts" flush>
      {rows.length === 0 ? (
        <Empty icon="webhook" title="No attempts yet">
          Attempts to deliver the next events of {formatPhone(props.owner)} to your{" "}
          <Link to={`${base}/webhooks`} search={{}}>
            endpoints
          </Link>{" "}
          show here.
        </Empty>
      ) : (
        <ul>
          {rows.map((row) => (
            <AttemptRow key={row.id} row={row} endpoint={nameOf(row.endpoint_id)} />
          ))}
        </ul>
      )}
    </Card>
  );
}

function AttemptRow(props: { row: WebhookDelivery; endpoint: string }) {
  const { base } = useAccount();
  const { row, endpoint } = props;
  const mayReplay = useHasRole("member");
  const replay = useReplay(row);
  const look = lookOf("delivery", row.ok ? "ok" : "failed");
  const nextAt = nextRetryAt(row);
  const now = useNow();
  return (
    <li className="attempt">
      <Link
        to={`${base}/webhooks/${row.endpoint_id}`}
        search={{ event_id: row.event_id } as never}
        className="alarm"
      >
        <time className="meta">{formatClock(row.created_at)}</time>
        <Badge
          tone={look.tone}
          icon={look.icon}
          word={String(row.status_code ?? row.error ?? "–")}
        />
        <span className="grow attempt-what">
          <code className="cut">{row.event_type}</code>
          <span className="meta cut">{endpoint}</span>
        </span>
        <span className="meta tabular">
          {nextAt !== null && Date.parse(nextAt) > now ? (
            <>
              retry <Countdown until={nextAt} />
            </>
          ) : (
            `${row.latency_ms} ms`
          )}
        </span>
      </Link>
      {mayReplay && !row.ok && (
        <Button
          kind="ghost"
          size="small"
          icon="retry"
          aria-label={`Replay ${row.event_type}`}
          busy={replay.isPending}
          onClick={() => replay.mutate(undefined)}
        />
      )}
    </li>
  );
}
