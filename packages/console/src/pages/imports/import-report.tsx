import { csvRow } from "@longwave/contract/tables";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useAccount } from "../../api/account.tsx";
import { Button } from "../../ui/button.tsx";
import { Progress } from "../../ui/chart.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Segmented } from "../../ui/field.tsx";
import { saveFile } from "../../ui/files.ts";
import { formatCount, formatPhone, plural } from "../../ui/format.ts";
import { Card } from "../../ui/page.tsx";
import { plainWords } from "../../ui/plain-words.ts";
import { Note } from "../../ui/problem.tsx";
import { useFilters } from "../../ui/search-params.ts";
import { Badge, Status } from "../../ui/status.tsx";
import { Table } from "../../ui/table.tsx";
import { Tabs, useTab } from "../../ui/tabs.tsx";
import { Tiles } from "../../ui/tiles.tsx";
import { Time } from "../../ui/values.tsx";
import type { AccountImport } from "./calls.ts";
import { type Action, actionWords, providerTitle, skipWords } from "./words.ts";

const ROWS_SHOWN_MAX = 200;
const ACTIONS = ["create", "exists", "skip"] as const satisfies readonly Action[];
const TONES = { create: "green", exists: "blue", skip: "slate" } as const;

/** Progress of an import, and the outcome of every object found. */
export function ImportReport(props: { run: AccountImport; action?: ReactNode }) {
  const { run } = props;
  return (
    <>
      <Card
        title={
          <h2>
            {providerTitle(run.provider)} {run.dry_run ? "preview" : "import"}
          </h2>
        }
        aside={
          <>
            {props.action}
            <Status machine="account_import" state={run.status} />
          </>
        }
        foot={
          <span>
            Started <Time at={run.created_at} />
            {run.ended_at !== null && (
              <>
                , ended <Time at={run.ended_at} />
              </>
            )}
          </span>
        }
      >
        <div className="stack">
          <ImportProgress run={run} />
          {run.error !== null && <Note tone="red">{plainWords(run.error.message)}</Note>}
          {run.status === "complete" && <Figures run={run} />}
        </div>
      </Card>
      {run.status === "complete" && <Found run={run} />}
      <Card title="Not copied">
        <ul className="stack-tight">
          {run.not_copied.map((sentence) => (
            <li key={sentence}>{plainWords(sentence)}</li>
          ))}
        </ul>
      </Card>
    </>
  );
}

function ImportProgress(props: { run: AccountImport }) {
  const { status, progress, dry_run } = props.run;
  if (status === "complete" && dry_run) return null;
  const { phase, done, total } = progress;
  const words =
    phase === "reading"
      ? `${plural(done, "number")} read`
      : `${formatCount(done)} of ${formatCount(total ?? done)} added`;
  return (
    <>
      <Progress
        large
        label="Import"
        total={total ?? (phase === "reading" ? 2_000 : done)}
        parts={[
          { name: phase === "reading" ? "read" : "added", value: done, color: "--c-delivered" },
        ]}
      />
      <p className="meta tabular" aria-live="polite">
        {words}
        {phase === "reading" &&
          status === "running" &&
          ". Nothing is created before all of it is read."}
      </p>
    </>
  );
}

function Figures(props: { run: AccountImport }) {
  const { run } = props;
  const { base } = useAccount();
  const count = (list: readonly { action: Action }[], action: Action) =>
    list.filter((each) => each.action === action).length;
  const tile = (name: string, list: readonly { action: Action }[], path: string) => {
    const made = formatCount(count(list, "create"));
    const note = `${formatCount(count(list, "exists"))} already here, ${formatCount(count(list, "skip"))} skipped`;
    return {
      name,
      note,
      value: run.dry_run ? (
        made
      ) : (
        <Link to={`${base}/${path}`} search={{}}>
          {made}
        </Link>
      ),
    };
  };
  return (
    <Tiles
      tiles={[
        tile("Port requests", run.numbers, "ports"),
        tile("Sender pools", run.pools, "pools"),
        tile("Webhook endpoints", run.webhooks, "webhooks"),
      ]}
    />
  );
}

interface Line {
  readonly key: string;
  readonly kind: "number" | "pool" | "webhook";
  readonly name: ReactNode;
  readonly plain: string;
  readonly action: Action;
  readonly why: string;
}

function linesOf(run: AccountImport): readonly Line[] {
  return [
    ...run.numbers.map((each, index) => ({
      ...each,
      key: `n${index}`,
      kind: "number" as const,
      name: formatPhone(each.phone_number),
      plain: each.phone_number,
      why: skipWords(each.reason),
    })),
    ...run.pools.map((each, index) => ({
      ...each,
      key: `p${index}`,
      kind: "pool" as const,
      name: `${each.name} (${plural(each.numbers, "number")})`,
      plain: each.name,
      why: skipWords(each.reason),
    })),
    ...run.webhooks.map((each, index) => ({
      ...each,
      key: `w${index}`,
      kind: "webhook" as const,
      name: <code className="wrap-anywhere">{each.url}</code>,
      plain: each.url,
      why: each.reason === null ? each.events.join(", ") : skipWords(each.reason),
    })),
  ];
}

const TABS = [
  { id: "numbers", label: "Numbers", kind: "number" },
  { id: "pools", label: "Sender pools", kind: "pool" },
  { id: "webhooks", label: "Webhooks", kind: "webhook" },
] as const;

function Found(props: { run: AccountImport }) {
  const { run } = props;
  const [search, set] = useFilters();
  const all = linesOf(run);
  const tab = useTab(TABS);
  const kind = TABS.find(({ id }) => id === tab)?.kind;
  const action = ACTIONS.find((each) => each === search["action"]) ?? "all";
  const lines = all.filter(
    (line) => line.kind === kind && (action === "all" || line.action === action),
  );
  const save = () =>
    saveFile(
      "import.csv",
      "text/csv",
      [
        csvRow(["kind", "name", "action", "why"]),
        ...all.map((line) => csvRow([line.kind, line.plain, line.action, line.why])),
      ].join(""),
    );
  return (
    <div className="stack">
      <Tabs label="Found objects" tabs={TABS} chosen={tab} />
      <div className="row-apart">
        <Segmented
          label="Outcome"
          value={action}
          choices={[
            { value: "all" as const, label: "All" },
            ...ACTIONS.map((value) => ({ value, label: actionWords(value, run.dry_run) })),
          ]}
          onChange={(value) => set({ action: value === "all" ? undefined : value })}
        />
        <Button size="small" icon="download" onClick={save}>
          Download as CSV
        </Button>
      </div>
      {lines.length === 0 ? (
        <div className="list">
          <Empty icon="inbox" title="None of these" />
        </div>
      ) : (
        <Table
          label="Found objects"
          rows={lines.slice(0, ROWS_SHOWN_MAX)}
          keyOf={(line) => line.key}
          columns={[
            { name: "There", cell: (line) => <span className="strong">{line.name}</span> },
            {
              name: "Here",
              cell: (line) => (
                <Badge tone={TONES[line.action]} word={actionWords(line.action, run.dry_run)} />
              ),
            },
            { name: "Details", cell: (line) => <span className="muted">{line.why}</span> },
          ]}
        />
      )}
      {lines.length > ROWS_SHOWN_MAX && (
        <p className="meta">
          The first {formatCount(ROWS_SHOWN_MAX)} of {formatCount(lines.length)}. The file has all.
        </p>
      )}
    </div>
  );
}
