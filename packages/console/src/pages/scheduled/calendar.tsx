import type { Longwave } from "@longwave/sdk";
import { Link } from "@tanstack/react-router";
import { useAccount } from "../../api/account.tsx";
import { useContactName } from "../../api/names.ts";
import { useRead } from "../../api/queries.ts";
import { serverMs } from "../../clock.ts";
import { Loaded } from "../../lists/loaded.tsx";
import { Button } from "../../ui/button.tsx";
import { formatClock, formatPhone, plural } from "../../ui/format.ts";
import { Icon, type IconName } from "../../ui/icons.tsx";
import { lookOf, type Tone } from "../../ui/looks.ts";
import { Note } from "../../ui/problem.tsx";
import { useFilters } from "../../ui/search-params.ts";
import { byDay, dayOf, isMonth, monthAfter, monthOf, weeksOf } from "./month.ts";

const MESSAGES_MAX = 500;
const BATCHES_MAX = 100;
const SCHEDULES_MAX = 20;
const OCCURRENCES_MAX = 40;
const SHOWN_PER_DAY = 3;
const WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

interface Entry {
  readonly key: string;
  readonly at: string;
  readonly icon: IconName;
  readonly tone: Tone;
  /** A phone number shows as its contact's name. */
  readonly text: string;
  /** Words of the message. */
  readonly body: string;
  readonly to: string;
  readonly search?: Readonly<Record<string, string>>;
}

/** Messages, batches and recurring messages of a month. */
export function Calendar() {
  const { base } = useAccount();
  const [search, set] = useFilters();
  const now = new Date(serverMs());
  const month = isMonth(search["month"]) ? search["month"] : monthOf(now);
  const entries = useRead(["scheduled", "calendar"], (api, signal) => readAll(api, base, signal));
  const name = new Date(`${month}-15T12:00:00`).toLocaleDateString(undefined, {
    month: "long",
    year: "numeric",
  });
  return (
    <div className="stack">
      <div className="row-apart">
        <h2>{name}</h2>
        <div className="row">
          <Button
            kind="secondary"
            aria-label="The month before"
            onClick={() => set({ month: monthAfter(month, -1) })}
          >
            <span className="flipped">
              <Icon name="chevron" />
            </span>
          </Button>
          <Button onClick={() => set({ month: undefined })}>Today</Button>
          <Button
            aria-label="The month after"
            icon="chevron"
            onClick={() => set({ month: monthAfter(month, 1) })}
          />
        </div>
      </div>
      <Loaded query={entries}>
        {({ data, isCut }) => (
          <>
            {isCut && (
              <Note tone="grey">
                There is more than a calendar holds: the soonest are shown, and the lists have all.
              </Note>
            )}
            <Month month={month} today={dayOf(now)} entries={data} />
          </>
        )}
      </Loaded>
    </div>
  );
}

function Month(props: { month: string; today: string; entries: readonly Entry[] }) {
  const days = byDay(props.entries);
  const weeks = weeksOf(props.month);
  if (!weeks.flat().some(({ day }) => days.has(day))) {
    return <p className="muted">Nothing is scheduled this month.</p>;
  }
  return (
    <div className="table-scroll card">
      <table className="calendar">
        <thead>
          <tr>
            {WEEKDAYS.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeks.map((week) => (
            <tr key={week[0]?.day}>
              {week.map((day, weekday) => (
                <td
                  key={day.day}
                  data-inside={day.isInside}
                  data-today={day.day === props.today || undefined}
                  data-has-entries={days.has(day.day) || undefined}
                >
                  <span className="calendar-weekday" aria-hidden="true">
                    {WEEKDAYS[weekday]}
                  </span>
                  <span className="calendar-day">{day.number}</span>
                  <DayEntries entries={days.get(day.day) ?? []} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function DayEntries(props: { entries: readonly Entry[] }) {
  const more = props.entries.length - SHOWN_PER_DAY;
  return (
    <ul className="calendar-entries">
      {props.entries.slice(0, SHOWN_PER_DAY).map((entry) => (
        <li key={entry.key}>
          <Link
            to={entry.to}
            search={entry.search ?? {}}
            className="calendar-entry"
            data-tone={entry.tone}
            title={entry.body}
          >
            <Icon name={entry.icon} size={12} />
            <span className="calendar-words">
              <span className="cut">
                {formatClock(entry.at).slice(0, 5)} <EntryName text={entry.text} />
              </span>
              <span className="cut">{entry.body}</span>
            </span>
          </Link>
        </li>
      ))}
      {more > 0 && <li className="meta">and {plural(more, "more", "more")}</li>}
    </ul>
  );
}

function EntryName(props: { text: string }) {
  return useContactName(props.text) ?? formatPhone(props.text);
}

async function readAll(
  api: Longwave,
  base: string,
  signal: AbortSignal,
): Promise<{ data: Entry[]; isCut: boolean }> {
  const [texts, batches, schedules] = await Promise.all([
    readMessages(api, base, signal),
    api.batches.list({ status: "scheduled", limit: BATCHES_MAX }, { signal }),
    api.schedules.list({ limit: SCHEDULES_MAX }, { signal }),
  ]);
  const recurring = await Promise.all(
    schedules.data.map(async (schedule) => {
      const page = await api.schedules.occurrences(
        schedule.id,
        { limit: OCCURRENCES_MAX },
        { signal },
      );
      return page.data.map((each): Entry => {
        const look = lookOf("occurrence", each.status);
        return {
          key: `${schedule.id} ${each.occurrence_at}`,
          at: each.occurrence_at,
          icon: "retry",
          tone: look.tone,
          text: schedule.to,
          body: schedule.body,
          to: `${base}/schedules/${schedule.id}`,
        };
      });
    }),
  );
  const ofBatches = batches.data.flatMap((batch): Entry[] =>
    batch.scheduled_at === null
      ? []
      : [
          {
            key: batch.id,
            at: batch.scheduled_at,
            icon: "batch",
            tone: "violet",
            text: batch.name ?? "",
            body: batch.body,
            to: `${base}/batches/${batch.id}`,
          },
        ],
  );
  return {
    data: [...texts.data, ...ofBatches, ...recurring.flat()],
    isCut: texts.isCut || batches.has_more || schedules.has_more,
  };
}

const PAGE_ITEMS = 100;

async function readMessages(api: Longwave, base: string, signal: AbortSignal) {
  const data: Entry[] = [];
  let cursor: string | undefined;
  do {
    const page = await api.scheduledMessages.list({ limit: PAGE_ITEMS, cursor }, { signal });
    for (const text of page.data) {
      data.push({
        key: text.id,
        at: text.scheduled_at,
        icon: "message",
        tone: "grey",
        text: text.to,
        body: text.body,
        to: `${base}/scheduled`,
        search: { tab: "texts" },
      });
    }
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined && data.length < MESSAGES_MAX);
  return { data, isCut: cursor !== undefined };
}
