import { REDACTED_NUMBER } from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import { statement } from "../../core/db/driver/statement.ts";
import { firstUuidAt } from "../../core/platform/ids.ts";
import type { PeriodicTask } from "../../core/queue/periodic.ts";

const DAY_MS = 86_400_000;
/** Span of one statement, so that none takes long. A first run over years takes several hours of runs. */
const STEP_MS = 6 * 3_600_000;
const STEPS_PER_RUN_MAX = 400;

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

/** Statements on the rows of one span: $3 and $4 are the UUIDs at its ends. */
const REDACTIONS = [
  statement(
    "redact_old_messages",
    `update messages
        set from_number = case when direction = 'inbound' then '${REDACTED_NUMBER}' else from_number end,
            to_number = case when direction = 'outbound' then '${REDACTED_NUMBER}' else to_number end,
            body = '', metadata = null
      where shard = $1 and account_id = $2 and id >= $3 and id < $4 and status <> 'queued'`,
  ),
  statement(
    "delete_old_message_metadata",
    "delete from message_metadata where shard = $1 and account_id = $2 and id >= $3 and id < $4",
  ),
  statement(
    "redact_old_verifications",
    `update verifications set phone = '${REDACTED_NUMBER}', metadata = null
      where shard = $1 and account_id = $2 and id >= $3 and id < $4`,
  ),
  statement(
    "redact_old_batch_recipients",
    `update batch_recipients r set to_number = '${REDACTED_NUMBER}', variables = null, metadata = null
       from batches b
      where r.shard = $1 and b.shard = $1 and b.account_id = $2 and b.id >= $3 and b.id < $4
        and r.batch_id = b.id and r.state not in ('waiting', 'handed', 'retrying')`,
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
 * Redacts messages, verifications and batch rows that are older than their account keeps them, from the oldest on, and
 * deletes conversations whose last incoming message is among them.
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
  const untilMs = deps.clock.now() - account.redact_after_days * DAY_MS;
  let fromMs = account.since;
  for (let step = 0; step < STEPS_PER_RUN_MAX && fromMs < untilMs && !signal.aborted; step += 1) {
    const toMs = Math.min(fromMs + STEP_MS, untilMs);
    const values = [account.shard, account.id, firstUuidAt(fromMs), firstUuidAt(toMs)];
    await deps.db.tx(async (tx) => {
      for (const redaction of REDACTIONS) await tx.query(redaction, values);
      await tx.query(saveRedactedUntil, [account.id, new Date(toMs)]);
    });
    fromMs = toMs;
  }
}
