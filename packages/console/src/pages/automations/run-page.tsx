import type { AutomationRun, AutomationRunStep } from "@longwave/sdk";
import { Link, useParams } from "@tanstack/react-router";
import { useAccount } from "../../api/account.tsx";
import { useContactName } from "../../api/names.ts";
import { useRead } from "../../api/queries.ts";
import { Loaded } from "../../lists/loaded.tsx";
import { Id } from "../../ui/copy.tsx";
import { formatPhone } from "../../ui/format.ts";
import type { Tone } from "../../ui/looks.ts";
import { Card, Facts, Page } from "../../ui/page.tsx";
import { Status } from "../../ui/status.tsx";
import { Timeline, type TimelineItem } from "../../ui/timeline.tsx";
import { Phone, Time } from "../../ui/values.tsx";
import { endWords, positionWords, STEP_WORDS } from "./words.ts";

const REFETCH_MS = 5_000;

export function AutomationRunPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const { base } = useAccount();
  const run = useRead(
    ["automations", "run", id],
    (api, signal) => api.automations.run(id, { signal }),
    {
      refetchMs: REFETCH_MS,
    },
  );
  const phone = run.data?.phone_number ?? "";
  const name = useContactName(phone);
  return (
    <Page
      title={run.data ? `Run for ${name ?? formatPhone(phone)}` : "Run"}
      crumb={{
        to: run.data ? `${base}/automations/${run.data.automation_id}` : `${base}/automations`,
        label: "Automation",
        search: { tab: "runs" },
      }}
    >
      <Loaded query={run}>{(value) => <Body run={value} />}</Loaded>
    </Page>
  );
}

function Body(props: { run: AutomationRun }) {
  const { run } = props;
  const { base } = useAccount();
  const name = useContactName(run.phone_number);
  return (
    <div className="columns">
      <Card title="Steps">
        <Timeline moments={run.steps.map((step, index) => momentOf(step, index, base))} />
      </Card>
      <Card title="The run">
        <Facts
          facts={[
            { name: "State", value: <Status machine="automation_run" state={run.status} /> },
            run.reason === null ? null : { name: "Why", value: endWords(run.reason) },
            run.wait_until === null
              ? null
              : { name: "Waits until", value: <Time at={run.wait_until} /> },
            { name: "Phone", value: <Phone value={run.phone_number} /> },
            run.contact_id === null
              ? null
              : {
                  name: "Contact",
                  value: (
                    <Link to={`${base}/contacts/${run.contact_id}`} search={{}}>
                      {name ?? "Profile"}
                    </Link>
                  ),
                },
            { name: "Version", value: run.version },
            { name: "Kind", value: run.test ? "A test" : "For real" },
            { name: "Id", value: <Id value={run.id} /> },
            { name: "Started", value: <Time at={run.started_at} /> },
            { name: "Ended", value: <Time at={run.ended_at} /> },
          ]}
        />
      </Card>
    </div>
  );
}

// biome-ignore format: one result per line, read as a table
const RESULTS: Readonly<Record<AutomationRunStep["result"], { tone: Tone; word: string }>> = {
  done:      { tone: "green", word: "done" },
  sent:      { tone: "blue",  word: "sent" },
  waiting:   { tone: "grey",  word: "waiting" },
  waited:    { tone: "green", word: "waited" },
  event:     { tone: "green", word: "the event came" },
  timed_out: { tone: "amber", word: "the event did not come" },
  // biome-ignore lint/suspicious/noThenProperty: `then` is the API's name of a result
  then:      { tone: "green", word: "it holds" },
  else:      { tone: "slate", word: "it does not hold" },
  skipped:   { tone: "slate", word: "skipped" },
  told:      { tone: "slate", word: "only reported" },
  failed:    { tone: "red",   word: "failed" },
};

/** A wait's detail is the time at which it ends. */
function isMoment(detail: string | null): detail is string {
  return detail !== null && /^\d{4}-\d\d-\d\dT/.test(detail);
}

/** Details of a failed step are reasons; others are names of the account's own. */
function detailWords({ result, detail }: AutomationRunStep): string | null {
  return detail !== null && result === "failed" ? endWords(detail) : detail;
}

function momentOf(step: AutomationRunStep, index: number, base: string): TimelineItem {
  const { tone, word } = RESULTS[step.result];
  return {
    key: `${index} ${step.step}`,
    at: step.at,
    tone,
    icon: STEP_WORDS[step.type].icon,
    title: (
      <>
        {STEP_WORDS[step.type].word}: {word}{" "}
        <span className="meta">{positionWords(step.step)}</span>
      </>
    ),
    detail: (
      <span className="meta">
        {isMoment(step.detail) ? <Time at={step.detail} /> : detailWords(step)}{" "}
        {step.message_id !== null && (
          <Link to={`${base}/messages/${step.message_id}`} search={{}}>
            See the text
          </Link>
        )}
      </span>
    ),
  };
}
