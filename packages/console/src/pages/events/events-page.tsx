import { type Event, type Page as ListPage, type Longwave, NotFoundError } from "@longwave/sdk";
import { memo, useState } from "react";
import { useAccount } from "../../api/account.tsx";
import { ExportLink } from "../../lists/export-link.tsx";
import { FilterBar, type FilterSpec, TIME_FILTERS } from "../../lists/filter-bar.tsx";
import { type Column, List } from "../../lists/list.tsx";
import { foldTotal, foldWords } from "../../live/fold.ts";
import { useFoldedTail } from "../../live/use-live.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Json } from "../../ui/code.tsx";
import { Id } from "../../ui/copy.tsx";
import { Empty } from "../../ui/empty.tsx";
import { formatClock, formatCount, plural } from "../../ui/format.ts";
import { Card, Page } from "../../ui/page.tsx";
import { useFilters, usePicked } from "../../ui/search-params.ts";
import { Badge } from "../../ui/status.tsx";
import { Time } from "../../ui/values.tsx";
import { EventAttempts } from "./event-attempts.tsx";
import { EVENT_TYPES, EVENT_WORDS } from "./event-types.ts";
import { filterByType } from "./filter-by-type.ts";
import { subjectOf } from "./subject.ts";

const PAGE_ITEMS = 100;
const TYPE_FILTER: FilterSpec = {
  name: "type",
  label: "All types",
  kind: "choice",
  choices: EVENT_TYPES.map((type) => ({ value: type, label: type })),
};
const FILTERS: readonly FilterSpec[] = [
  { name: "id", label: "Event id", kind: "text" },
  { name: "phone", label: "Phone number", kind: "phone" },
  TYPE_FILTER,
  ...TIME_FILTERS,
];

const COLUMNS: readonly Column<Event>[] = [
  { name: "Type", width: "230px", cell: (row) => <code>{row.type}</code> },
  {
    name: "About",
    width: "minmax(120px, 1fr)",
    wideOnly: true,
    cell: (row) => <span className="muted">{subjectOf(row)}</span>,
  },
  { name: "Id", width: "160px", wideOnly: true, cell: (row) => <Id value={row.id} /> },
  { name: "When", width: "112px", right: true, cell: (row) => <Time at={row.created_at} /> },
];

export function EventsPage() {
  const { api, base } = useAccount();
  const [search] = useFilters();
  const query = usePicked(search, ["type", "phone", "created_after", "created_before"]);
  const id = search["id"]?.trim();
  const isTail = search["tail"] === "1";
  const isSearch = Boolean(id) || query.phone !== undefined;
  return (
    <Page
      title="Events"
      about="Everything that happened, kept for 30 days. Webhooks carry exactly these objects."
      actions={
        <>
          <ExportLink list="events" query={query} />
          <ButtonLink
            to={`${base}/events`}
            search={{ type: query.type ?? "", tail: isTail ? "" : "1" }}
            icon={isTail ? "list" : "bolt"}
            kind="primary"
          >
            {isTail ? "Show the log" : "Live tail"}
          </ButtonLink>
        </>
      }
    >
      {isTail ? (
        <>
          <FilterBar filters={[TYPE_FILTER]} />
          <Tail type={query.type} />
        </>
      ) : (
        <>
          <FilterBar filters={FILTERS} />
          <List
            label="Events"
            source={{
              key: ["events", query, id],
              pageItems: PAGE_ITEMS,
              fetch: (cursor, signal) =>
                id
                  ? eventById(api, id, signal)
                  : api.events.list(
                      { ...(query as object), limit: PAGE_ITEMS, cursor },
                      { signal },
                    ),
            }}
            columns={COLUMNS}
            linkOf={(row) => `${base}/events/${row.id}`}
            beside
            {...(!isSearch && { grows: { events: query.type ? [query.type] : EVENT_TYPES } })}
            empty={
              isSearch ? (
                <Empty icon="search" title="No event matches">
                  Events are kept for 30 days.
                </Empty>
              ) : (
                <Empty icon="bolt" title="No events yet">
                  Send a text, and its events appear here.
                </Empty>
              )
            }
          />
        </>
      )}
    </Page>
  );
}

/** A list of the one event with this id, or of none. */
async function eventById(api: Longwave, id: string, signal: AbortSignal): Promise<ListPage<Event>> {
  const found = await api.events.get(id, { signal }).catch((error: unknown) => {
    if (error instanceof NotFoundError) return null;
    throw error;
  });
  return { data: found ? [found] : [], has_more: false, next_cursor: null };
}

function Tail(props: { type: string | undefined }) {
  const [isPaused, setIsPaused] = useState(false);
  const [chosen, setChosen] = useState<Event | null>(null);
  const tail = useFoldedTail(isPaused);
  const entries = filterByType(tail.entries, props.type);
  const waiting = props.type === undefined ? foldTotal(tail.waiting) : tail.waiting[props.type];
  const newest = entries.find((entry) => entry.kind === "event");
  const shown = chosen ?? newest?.event ?? null;
  return (
    <div className="halves">
      <Card
        title={
          <Badge
            tone={isPaused ? "amber" : "green"}
            icon={isPaused ? "pause" : "dot"}
            word={isPaused ? "Paused" : "Connected"}
          />
        }
        aside={
          <div className="row">
            <span className="meta" role="status">
              {waiting ? `${formatCount(waiting)} new` : ""}
            </span>
            <Button
              size="small"
              icon={isPaused ? "play" : "pause"}
              onClick={() => setIsPaused(!isPaused)}
            >
              {isPaused ? "Resume" : "Pause"}
            </Button>
          </div>
        }
        flush
      >
        {entries.length === 0 ? (
          <Empty icon="bolt" title="Waiting for events">
            They appear here as they happen.
          </Empty>
        ) : (
          <ul>
            {entries.map((entry) =>
              entry.kind === "fold" ? (
                <FoldedLine key={entry.second} second={entry.second} counts={entry.counts} />
              ) : (
                <EventLine key={entry.event.id} event={entry.event} onChoose={setChosen} />
              ),
            )}
          </ul>
        )}
      </Card>
      {shown && (
        <div className="stack">
          <p>{EVENT_WORDS[shown.type]}</p>
          <Json value={shown} title={shown.type} />
          {/* The newest event changes many times a second; attempts load for a selected one only. */}
          {chosen && <EventAttempts eventId={chosen.id} />}
        </div>
      )}
    </div>
  );
}

const EventLine = memo(function EventLine(props: {
  event: Event;
  onChoose: (event: Event) => void;
}) {
  const { event } = props;
  return (
    <li>
      <button
        type="button"
        className="menu-item"
        style={{ borderRadius: 0 }}
        onClick={() => props.onChoose(event)}
      >
        <time className="meta">{formatClock(event.created_at)}</time>
        <code className="grow cut">{event.type}</code>
        <span className="meta cut">{subjectOf(event)}</span>
      </button>
    </li>
  );
});

/** Counts by type of one second with too many events for single lines. */
function FoldedLine(props: { second: string; counts: Readonly<Record<string, number>> }) {
  return (
    <li className="menu-item" style={{ cursor: "default" }}>
      <time className="meta">{formatClock(`${props.second}Z`)}</time>
      <span className="nowrap">{plural(foldTotal(props.counts), "event")}</span>
      <span className="meta cut">{foldWords(props.counts)}</span>
    </li>
  );
}
