import { NotFoundError } from "@longwave/sdk";
import { type FormEvent, useState } from "react";
import { useAct, useRead } from "../../api/queries.ts";
import { Loaded } from "../../lists/loaded.tsx";
import { Button } from "../../ui/button.tsx";
import { errorAt, errorBeside, TextField } from "../../ui/field.tsx";
import { formatCount, formatDayAndTime } from "../../ui/format.ts";
import { Card, Page } from "../../ui/page.tsx";
import { ErrorBox } from "../../ui/problem.tsx";
import { Badge } from "../../ui/status.tsx";
import { Table } from "../../ui/table.tsx";
import { type Readiness, type ReadinessCheck, secondsBehind, useReadiness } from "./readiness.ts";

export function SystemPage() {
  const readiness = useReadiness();
  return (
    <Page
      title="System"
      about="Whether requests are answered and background jobs run on time. Updates every 2 s."
    >
      <Loaded query={readiness}>
        {(value) => (
          <div className="stack-wide">
            <Checks readiness={value} />
            <Lanes readiness={value} />
            <TestClock />
          </div>
        )}
      </Loaded>
    </Page>
  );
}

/** `scheduled_messages` as a table shows it. */
function nameWords(name: string): string {
  const words = name === "lanes" ? "background jobs" : name.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function detailOf(check: Record<string, unknown>): string {
  const { ok: _ok, seconds_behind: _behind, ...rest } = check;
  return Object.entries(rest)
    .map(([name, value]) => `${name.replaceAll("_", " ")}: ${wordsOf(value)}`)
    .join(" · ");
}

function wordsOf(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? "none" : value.join(", ");
  if (typeof value !== "object" || value === null) return String(value);
  const entries = Object.entries(value);
  return entries.length === 0
    ? "none"
    : entries.map(([name, each]) => `${name} ${each}`).join(", ");
}

function Checks(props: { readiness: Readiness }) {
  const rows = Object.entries(props.readiness.checks) as [string, ReadinessCheck][];
  return (
    <Card
      title="Checks"
      flush
      aside={
        props.readiness.ready ? (
          <Badge tone="green" icon="check" word="Ready" />
        ) : (
          <Badge tone="red" icon="x" word="Not ready" />
        )
      }
    >
      <Table
        label="Checks"
        bare
        rows={rows}
        keyOf={([name]) => name}
        columns={[
          {
            name: "Check",
            cell: ([name]) => <span className="strong">{nameWords(name)}</span>,
          },
          {
            name: "State",
            cell: ([, check]) =>
              check.ok ? (
                <Badge tone="green" icon="check" word="OK" />
              ) : (
                <Badge tone="red" icon="x" word="Failing" />
              ),
          },
          {
            name: "Detail",
            cell: ([, check]) => <span className="muted">{detailOf(check) || "–"}</span>,
          },
        ]}
      />
    </Card>
  );
}

function Lanes(props: { readiness: Readiness }) {
  const lanes = secondsBehind(props.readiness);
  if (lanes.length === 0) return null;
  return (
    <Card title="Background jobs" flush>
      <Table
        label="Background jobs"
        bare
        rows={lanes}
        keyOf={([name]) => name}
        columns={[
          { name: "Job", cell: ([name]) => nameWords(name) },
          {
            name: "Behind",
            right: true,
            cell: ([, seconds]) => (seconds === 0 ? "–" : `${formatCount(seconds)} s`),
          },
        ]}
      />
    </Card>
  );
}

/** Moves the test clock forward. It exists only with LONGWAVE_TEST_CLOCK=1. */
function TestClock() {
  const clock = useRead(["op-clock"], (api, signal) => api.operator.clock.get({ signal }));
  const [seconds, setSeconds] = useState("3600");
  const advance = useAct(
    (_: undefined, { api, idempotencyKey }) =>
      api.operator.clock.advance({ seconds: Number(seconds) }, { idempotencyKey }),
    { stale: ["op-clock"] },
  );
  if (clock.error instanceof NotFoundError || !clock.data) return null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    advance.mutate(undefined);
  };
  return (
    <Card title="Test clock">
      <form className="stack" onSubmit={submit}>
        <p>
          It is <b>{formatDayAndTime(clock.data.now)}</b> for this installation.
        </p>
        <TextField
          label="Seconds"
          inputMode="numeric"
          required
          help="Everything that falls due on the way is done."
          value={seconds}
          error={errorAt(advance.error, "seconds")}
          onChange={(event) => setSeconds(event.target.value)}
        />
        {errorBeside(advance.error, ["seconds"]) !== null && <ErrorBox error={advance.error} />}
        <div className="row">
          <Button type="submit" busy={advance.isPending}>
            Move it forward
          </Button>
        </div>
      </form>
    </Card>
  );
}
