import type { Program } from "../../testing/program.ts";
import type { KillStage } from "./stage.ts";

/** Submitted messages without an outcome, with their attempts and due times. */
const UNSETTLED = `
  select m.id, m.to_number, m.attempts, m.carrier, m.submitted_at, m.next_attempt_at,
         (select array_agg(s.attempt || ' ' || s.outcome || ' ' || coalesce(s.answered_at::text, '-'))
            from submit_attempts s where s.message_id = m.id) as attempts_stored,
         (select array_agg(d.due_at) from due_attempts d where m.id = any(d.message_ids)) as due_at
    from messages m where m.status = 'queued' and m.awaiting_carrier order by m.submitted_at, m.id`;
const ROWS_SHOWN_MAX = 40;
const LOG_CHARACTERS_MAX = 20_000;

/** Diagnostics of a batch that does not complete: batches, binds, unsettled messages and logs. */
export async function describeUnsettled(
  stage: KillStage,
  workers: readonly Program[],
): Promise<string> {
  const unsettled = await stage.rows(UNSETTLED);
  const times = new Map<string, number>();
  for (const { to } of await stage.submits()) times.set(to, (times.get(to) ?? 0) + 1);
  const lines = [
    ...(await stage.rows("select now()")),
    ...(await stage.rows(
      "select status, waiting, handed, retrying, sent, failed, next_index, due_at from batches",
    )),
    ...(await stage.rows("select * from carrier_binds")),
    { unsettled: unsettled.length },
    ...unsettled
      .slice(0, ROWS_SHOWN_MAX)
      .map((row) => ({ ...row, submitted: times.get(row.to_number) ?? 0 })),
  ].map((row) => JSON.stringify(row));
  const logs = workers.map(
    (worker) =>
      `worker ${worker.child.pid}\n${(worker.stdout() + worker.stderr()).slice(-LOG_CHARACTERS_MAX)}`,
  );
  return [...lines, ...logs].join("\n");
}
