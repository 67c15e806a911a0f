import { REDACTED_NUMBER } from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import { statement } from "../../core/db/driver/statement.ts";
import { firstUuidAt } from "../../core/platform/ids.ts";
import type { PeriodicTask } from "../../core/queue/periodic.ts";

const DAY_MS = 86_400_000;
/** Span of one statement, so that none takes long. A first run over years takes several hours of runs. */
const STEP_MS = 6 * 3_600_000;
const STEPS_PER_RUN_MAX = 400;
const LEFTOVERS_PER_PAGE = 100;
const FIRST_UUID = "00000000-0000-0000-0000-000000000000";

interface RedactingAccount {
  readonly id: string;
  readonly shard: number;
  readonly redact_after_days: number;
  /** Everything before is redacted already. */
  readonly since: number;
}

const findRedactingAccounts = statement(
  "find_redacting_accounts",
  `select id, shard, redact_after_days, coalesce(redacted_until, created_at) as since from accounts
    where redact_after_days is not null and deleted_at is null
      and coalesce(redacted_until, created_at) < $1::timestamptz - redact_after_days * interval '1 day'
    order by id`,
);
const saveRedactedUntil = statement(
  "save_redacted_until",
  "update accounts set redacted_until = $2 where id = $1",
);

/** Rows of one span that have not ended: $3 and $4 are the UUIDs at its ends. */
const findUnfinished = statement(
  "find_unredactable",
  `select exists (select from messages
                   where shard = $1 and account_id = $2 and id >= $3 and id < $4 and status = 'queued')
       or exists (select from scheduled_messages
                   where shard = $1 and account_id = $2 and id >= $3 and id < $4 and status = 'pending')
       or exists (select from automation_runs
                   where shard = $1 and account_id = $2 and id >= $3 and id < $4 and status = 'running')
       or exists (select from batches
                   where shard = $1 and account_id = $2 and id >= $3 and id < $4 and waiting + handed + retrying > 0)
       as unfinished`,
);
const rememberSpan = statement(
  "remember_redaction_leftover",
  `insert into redaction_leftovers (shard, account_id, from_id, to_id) values ($1, $2, $3, $4)
   on conflict (shard, account_id, from_id) do nothing`,
);
const forgetSpan = statement(
  "forget_redaction_leftover",
  "delete from redaction_leftovers where shard = $1 and account_id = $2 and from_id = $3 and to_id = $4",
);
const listLeftovers = statement(
  "list_redaction_leftovers",
  `select from_id, to_id from redaction_leftovers where shard = $1 and account_id = $2 and from_id > $3
    order by from_id limit $4`,
);

/** Statements on the rows of one span. Rows that are redacted already stay as they are. */
const REDACTIONS = [
  statement(
    "delete_old_pool_choices",
    `delete from pool_choices c
      using pools p, (select distinct mode, to_number from messages
                       where shard = $1 and account_id = $2 and id >= $3 and id < $4
                         and direction = 'outbound' and status <> 'queued') as m
      where p.shard = $1 and p.account_id = $2
        and c.shard = $1 and c.account_id = $2 and c.pool_id = p.id and c.mode = m.mode and c.recipient = m.to_number
        and not exists (
          select from messages n
           where n.shard = $1 and n.account_id = $2 and n.mode = c.mode and n.to_number = c.recipient
             and n.direction = 'outbound' and not n.from_service and n.id >= $4)`,
  ),
  statement(
    "delete_old_carrier_traffic",
    `delete from carrier_inbox t using messages m
      where t.shard in (0, $1) and t.message_id = m.id and t.due_at is null
        and m.shard = $1 and m.account_id = $2 and m.id >= $3 and m.id < $4 and m.status <> 'queued'`,
    { acrossShards: "incoming traffic lies in shard 0" },
  ),
  statement(
    "delete_old_twilio_callbacks",
    `delete from twilio_callbacks t
      where t.shard = $1 and t.account_id = $2 and t.id >= $3 and t.id < $4
        and not exists (select from messages m where m.shard = $1 and m.id = t.id and m.status = 'queued')
        and not exists (
          select from scheduled_messages s where s.shard = $1 and s.id = t.id and s.status = 'pending')`,
  ),
  statement(
    "redact_old_scheduled_messages",
    `update scheduled_messages set to_number = '${REDACTED_NUMBER}', body = '', metadata = null
      where shard = $1 and account_id = $2 and id >= $3 and id < $4 and status <> 'pending'
        and to_number <> '${REDACTED_NUMBER}'`,
  ),
  statement(
    "redact_old_automation_runs",
    `update automation_runs set phone_number = '${REDACTED_NUMBER}', properties = '{}'
      where shard = $1 and account_id = $2 and id >= $3 and id < $4 and status <> 'running'
        and phone_number <> '${REDACTED_NUMBER}'`,
  ),
  statement(
    "redact_old_messages",
    `update messages
        set from_number = case when direction = 'inbound' then '${REDACTED_NUMBER}' else from_number end,
            to_number = case when direction = 'outbound' then '${REDACTED_NUMBER}' else to_number end,
            body = '', metadata = null
      where shard = $1 and account_id = $2 and id >= $3 and id < $4 and status <> 'queued'
        and case direction when 'inbound' then from_number else to_number end <> '${REDACTED_NUMBER}'`,
  ),
  statement(
    "delete_old_message_metadata",
    `delete from message_metadata d
      where d.shard = $1 and d.account_id = $2 and d.id >= $3 and d.id < $4
        and not exists (select from messages m where m.shard = $1 and m.id = d.id and m.status = 'queued')`,
  ),
  statement(
    "redact_old_verifications",
    `update verifications set phone = '${REDACTED_NUMBER}', metadata = null
      where shard = $1 and account_id = $2 and id >= $3 and id < $4 and phone <> '${REDACTED_NUMBER}'`,
  ),
  statement(
    "redact_old_verification_decisions",
    `update verification_decisions set phone = '${REDACTED_NUMBER}'
      where shard = $1 and account_id = $2 and mode in ('test', 'live') and id >= $3 and id < $4
        and phone <> '${REDACTED_NUMBER}'`,
  ),
  statement(
    "redact_old_batch_recipients",
    `update batch_recipients r set to_number = '${REDACTED_NUMBER}', variables = null, metadata = null
       from batches b
      where r.shard = $1 and b.shard = $1 and b.account_id = $2 and b.id >= $3 and b.id < $4
        and r.batch_id = b.id and r.state not in ('waiting', 'handed', 'retrying')
        and r.to_number <> '${REDACTED_NUMBER}'`,
  ),
  statement(
    "delete_old_conversation_notes",
    `delete from conversation_notes n using conversations c
      where n.shard = $1 and c.shard = $1 and c.account_id = $2 and n.account_id = $2 and n.mode = c.mode
        and n.phone_number = c.phone_number and c.last_received_id >= $3 and c.last_received_id < $4`,
  ),
  statement(
    "delete_old_conversations",
    `delete from conversations
      where shard = $1 and account_id = $2 and last_received_id >= $3 and last_received_id < $4`,
  ),
];

/**
 * Redacts messages and everything about them that is older than its account keeps it, from the oldest on, and deletes
 * conversations whose last incoming message is among them. Spans with rows that have not ended are visited again.
 */
export const redactOldMessages: PeriodicTask = {
  name: "messages.redact_old",
  everySeconds: 3_600,
  async run(deps, signal) {
    const accounts = await deps.db.query<RedactingAccount>(findRedactingAccounts, [
      new Date(deps.clock.now()),
    ]);
    for (const account of accounts) await redact(deps, account, signal);
  },
};

async function redact(deps: Base, account: RedactingAccount, signal: AbortSignal): Promise<void> {
  await redactLeftovers(deps, account, signal);
  const untilMs = deps.clock.now() - account.redact_after_days * DAY_MS;
  let fromMs = account.since;
  for (let step = 0; step < STEPS_PER_RUN_MAX && fromMs < untilMs && !signal.aborted; step += 1) {
    const toMs = Math.min(fromMs + STEP_MS, untilMs);
    const span = [account.shard, account.id, firstUuidAt(fromMs), firstUuidAt(toMs)];
    await deps.db.tx(async (tx) => {
      if (!(await redactSpan(tx, span))) await tx.query(rememberSpan, span);
      await tx.query(saveRedactedUntil, [account.id, new Date(toMs)]);
    });
    fromMs = toMs;
  }
}

interface Leftover {
  readonly from_id: string;
  readonly to_id: string;
}

/** Spans that an earlier run passed while a batch, a message or a run of them had not ended. */
async function redactLeftovers(
  deps: Base,
  { shard, id }: RedactingAccount,
  signal: AbortSignal,
): Promise<void> {
  let above = FIRST_UUID;
  while (!signal.aborted) {
    const page = [shard, id, above, LEFTOVERS_PER_PAGE];
    const spans = await deps.db.query<Leftover>(listLeftovers, page);
    for (const { from_id, to_id } of spans) {
      const span = [shard, id, from_id, to_id];
      await deps.db.tx(async (tx) => {
        if (await redactSpan(tx, span)) await tx.query(forgetSpan, span);
      });
      above = from_id;
    }
    if (spans.length < LEFTOVERS_PER_PAGE) return;
  }
}

/** Redacts what has ended; false where other rows have not. Asked first, so that no row that ends meanwhile is missed. */
async function redactSpan(tx: Tx, span: readonly unknown[]): Promise<boolean> {
  const [found] = await tx.query<{ unfinished: boolean }>(findUnfinished, span);
  for (const redaction of REDACTIONS) await tx.query(redaction, span);
  return found?.unfinished === false;
}
