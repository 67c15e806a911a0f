import type { Schedule, ScheduleOccurrence } from "@longwave/sdk";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useAccount, useHasRole } from "../../api/account.tsx";
import { useAct, useRead } from "../../api/queries.ts";
import { Loaded } from "../../lists/loaded.tsx";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { formatInZone, formatPhone } from "../../ui/format.ts";
import { Card, Facts, Page } from "../../ui/page.tsx";
import { NamedPerson } from "../../ui/person.tsx";
import { ErrorBox, Note } from "../../ui/problem.tsx";
import { Status } from "../../ui/status.tsx";
import { Table } from "../../ui/table.tsx";
import { Tabs, useTab } from "../../ui/tabs.tsx";
import { toast } from "../../ui/toast.tsx";
import { Time } from "../../ui/values.tsx";
import { ruleWords } from "./rule.ts";
import { ScheduleEditor } from "./schedule-form.tsx";

const OCCURRENCES_SHOWN = 50;
const TABS = [
  { id: "occurrences", label: "Occurrences" },
  { id: "change", label: "Edit" },
];

export function NewSchedulePage() {
  const { base } = useAccount();
  const navigate = useNavigate();
  return (
    <Page
      title="New recurring text"
      crumb={{ to: `${base}/scheduled`, label: "Scheduled" }}
      about="Every occurrence is a text of its own, checked at its time."
    >
      <ScheduleEditor
        schedule={null}
        onSaved={(made) =>
          void navigate({ to: `${base}/schedules/${made.id}`, search: {} } as never)
        }
      />
    </Page>
  );
}

export function SchedulePage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const { base } = useAccount();
  const schedule = useRead(["schedules", id], (api, signal) => api.schedules.get(id, { signal }));
  return (
    <Page
      title={schedule.data ? ruleWords(schedule.data) : "Recurring text"}
      crumb={{ to: `${base}/scheduled`, label: "Scheduled", search: { tab: "recurring" } }}
      actions={schedule.data && <Actions schedule={schedule.data} />}
    >
      <Loaded query={schedule}>{(value) => <Body schedule={value} />}</Loaded>
    </Page>
  );
}

const PAUSED_BECAUSE: Readonly<Record<NonNullable<Schedule["pause_reason"]>, string>> = {
  recipient_opted_out: "the recipient has opted out",
  repeated_failures: "its texts failed again and again",
  sender_unavailable: "its sender can no longer send",
};

function Body(props: { schedule: Schedule }) {
  const { schedule } = props;
  const mayEdit = useHasRole("member") && schedule.status !== "ended";
  const tab = useTab(TABS);
  return (
    <div className="stack-wide">
      {schedule.pause_reason !== null && (
        <Note tone="amber">It paused itself: {PAUSED_BECAUSE[schedule.pause_reason]}.</Note>
      )}
      <Card>
        <Facts
          facts={[
            { name: "State", value: <Status machine="schedule" state={schedule.status} /> },
            { name: "Next", value: <Time at={schedule.next_at} /> },
            { name: "To", value: <NamedPerson phone={schedule.to} /> },
            { name: "From", value: formatPhone(schedule.from) },
            { name: "Text", value: schedule.body },
            { name: "Zone", value: schedule.timezone },
          ]}
        />
      </Card>
      {mayEdit && <Tabs label="Parts" tabs={TABS} chosen={tab} />}
      {mayEdit && tab === "change" ? (
        <ScheduleEditor schedule={schedule} onSaved={() => toast("Saved.")} />
      ) : (
        <Occurrences id={schedule.id} timezone={schedule.timezone} />
      )}
    </div>
  );
}

const SKIPPED_BECAUSE = {
  recipient_opted_out: "The recipient has opted out.",
  missed: "The service was not running at its time.",
} as const;

function whyOf({ reason, failure }: ScheduleOccurrence): string {
  if (reason !== null) return SKIPPED_BECAUSE[reason];
  return failure?.title ?? "";
}

/** Upcoming occurrences first, earliest first, then past ones in the list's order, newest first. */
function soonestFirst(all: readonly ScheduleOccurrence[]): readonly ScheduleOccurrence[] {
  const isAhead = (each: ScheduleOccurrence) => each.status === "upcoming";
  return [...all.filter(isAhead).reverse(), ...all.filter((each) => !isAhead(each))];
}

function Occurrences(props: { id: string; timezone: string }) {
  const { base } = useAccount();
  const occurrences = useRead(
    ["schedules", props.id, "occurrences"],
    (api, signal) => api.schedules.occurrences(props.id, { limit: OCCURRENCES_SHOWN }, { signal }),
    { refetchMs: 10_000 },
  );
  return (
    <Loaded query={occurrences}>
      {(page) => (
        <Table
          label="Occurrences: the next ones, then those that were"
          rows={soonestFirst(page.data)}
          keyOf={(each) => each.occurrence_at}
          columns={[
            // In the rule's time zone the hour stays the same all year.
            { name: "When", cell: (each) => formatInZone(each.occurrence_at, props.timezone) },
            { name: "In", cell: (each) => <Time at={each.occurrence_at} /> },
            { name: "State", cell: (each) => <Status machine="occurrence" state={each.status} /> },
            {
              name: "Text",
              cell: (each) =>
                each.message_id === null ? (
                  <span className="muted">{whyOf(each) || "–"}</span>
                ) : (
                  <>
                    <Link to={`${base}/messages/${each.message_id}`} search={{}}>
                      See the text
                    </Link>{" "}
                    <span className="muted">{whyOf(each)}</span>
                  </>
                ),
            },
          ]}
        />
      )}
    </Loaded>
  );
}

function Actions(props: { schedule: Schedule }) {
  const { schedule } = props;
  const { base } = useAccount();
  const mayEdit = useHasRole("member");
  const navigate = useNavigate();
  const [isAsking, setIsAsking] = useState(false);
  const stale = ["schedules", "scheduled"];
  const turn = useAct(
    (to: "pause" | "resume", { api, idempotencyKey }) =>
      api.schedules[to](schedule.id, { idempotencyKey }),
    { stale },
  );
  const remove = useAct((_: undefined, { api }) => api.schedules.delete(schedule.id), {
    stale,
    onDone: () => void navigate({ to: `${base}/scheduled`, search: { tab: "recurring" } } as never),
  });
  if (!mayEdit) return null;
  return (
    <>
      {turn.error ? <ErrorBox error={turn.error} /> : null}
      {schedule.status === "active" && (
        <Button icon="pause" busy={turn.isPending} onClick={() => turn.mutate("pause")}>
          Pause
        </Button>
      )}
      {schedule.status === "paused" && (
        <Button icon="play" busy={turn.isPending} onClick={() => turn.mutate("resume")}>
          Resume
        </Button>
      )}
      <Button kind="danger" onClick={() => setIsAsking(true)}>
        Delete
      </Button>
      <Confirm
        title={`Delete the text to ${formatPhone(schedule.to)}?`}
        isOpen={isAsking}
        onClose={() => setIsAsking(false)}
        onConfirm={() => remove.mutate(undefined)}
        action="Delete the recurring text"
        busy={remove.isPending}
        error={remove.error}
      >
        Nothing more is sent. The texts that it has sent stay.
      </Confirm>
    </>
  );
}
