import { useAccount } from "../../api/account.tsx";
import { consoleCall } from "../../api/client.ts";
import { useRead } from "../../api/queries.ts";
import { readTogether } from "../../api/read-together.ts";
import { formatCount } from "../../ui/format.ts";
import { Status } from "../../ui/status.tsx";
import { Time } from "../../ui/values.tsx";

interface RunTotals {
  readonly automation_id: string;
  readonly runs: number;
  readonly failed: number;
  /** The counts are those of the newest runs alone. */
  readonly partial: boolean;
  readonly last_status: string | null;
  readonly last_started_at: string | null;
}

const readTotals = readTogether<RunTotals>(async (account, ids) => {
  const path = `/${account}/automation-runs?${new URLSearchParams({ ids: ids.join(",") })}`;
  const answer = await consoleCall<{ readonly data: readonly RunTotals[] }>(path);
  return new Map(answer.data.map((totals) => [totals.automation_id, totals]));
});

/** Runs of an automation; rows shown together share one call. */
function useRunTotals(id: string): RunTotals | null | undefined {
  const { account } = useAccount();
  return useRead(["automations", "run-totals", id], () => readTotals(account.id, id)).data;
}

export function Runs(props: { id: string }) {
  const totals = useRunTotals(props.id);
  if (!totals) return <span className="muted">–</span>;
  return `${formatCount(totals.runs)}${totals.partial ? "+" : ""}`;
}

export function FailedRuns(props: { id: string }) {
  const totals = useRunTotals(props.id);
  if (!totals) return <span className="muted">–</span>;
  return totals.failed === 0 ? (
    <span className="muted">0</span>
  ) : (
    <span data-tone="red">{formatCount(totals.failed)}</span>
  );
}

/** State and time of an automation's newest run. */
export function LastRun(props: { id: string }) {
  const totals = useRunTotals(props.id);
  if (!totals) return null;
  if (totals.last_status === null) return <span className="muted">None yet</span>;
  return (
    <span className="row">
      <Status machine="automation_run" state={totals.last_status} />{" "}
      <Time at={totals.last_started_at} />
    </span>
  );
}
