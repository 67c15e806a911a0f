import {
  type BatchValidation,
  type CreatedBatch,
  isBlank,
  MESSAGE_METADATA_KEYS_MAX,
  normalizePhone,
  Problem,
  parseTemplate,
  type RejectedRow,
  type RouteInput,
  type Template,
} from "@longwave/contract";
import { type Principal, readQuietHours } from "../../account/accounts/index.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import { notify } from "../../core/db/driver/notifications.ts";
import { createSlices } from "../../core/platform/slices.ts";
import { LANES } from "../../core/queue/lane-names.ts";
import { callerApiId } from "../../http/api/caller.ts";
import type { Context } from "../../http/api/handler.ts";
import { accountIn } from "../../http/api/modes.ts";
import { findTopic, type TopicRow } from "../../people/topics/index.ts";
import {
  type ChosenSender,
  chooseSender,
  consentRefusals,
  metadataOrNull,
} from "../outbound/index.ts";
import { scheduleTime } from "../scheduled-messages/index.ts";
import type { BatchRow } from "./batch-row.ts";
import type { BatchesDeps as Deps } from "./deps.ts";
import { presentBatch } from "./present.ts";
import { createPreview, previewBatch } from "./preview.ts";
import { audienceOf, sourceOf, sourcePages } from "./sources.ts";
import { insertBatch, insertRecipients } from "./sql.ts";
import {
  type ConsentFilter,
  type Validation,
  type ValidRow,
  validateRows,
} from "./validate-rows.ts";

type BatchInput = RouteInput<"batches.create">["body"];
type CreateAnswer = (
  | { status: 200; body: BatchValidation }
  | { status: 201; body: CreatedBatch }
) & { text: string };

/** Rows per statement: large enough to be fast, small enough to keep statements short. */
const ROWS_PER_INSERT_MAX = 2_500;

/** POST /batches: validates every row, then stores the batch and its recipients in one transaction. */
export async function createBatch(
  context: Context<Principal, Deps>,
  input: BatchInput,
): Promise<CreateAnswer> {
  const { deps, caller } = context;
  const { source, template, scheduledAt, quietHours } = readBatch(deps, input);
  const sender = await senderOf(deps, caller, input.from);
  const preview = input.dry_run ? createPreview(caller.account) : null;
  const topic = await topicOf(deps, caller, input);
  const checks = {
    account: accountIn(caller),
    refusalsOf: consentFilter(deps, caller, sender, topic),
    customerId: sender.customerId,
    template,
    checkLineTypes: input.check_line_types === true,
    topicId: topic?.id ?? null,
    onBody: preview?.add ?? (() => {}),
  };
  const pages = await sourcePages(deps.db, accountIn(caller), input, template);
  const validation = await validateRows(deps, checks, pages);
  const rejected = await rejectedJson(deps, validation.rejected);
  if (preview) {
    const body = await previewBatch(
      deps,
      caller,
      {
        ...checks,
        from: sender.number.phone_number,
        quietHours,
        atMs: scheduledAt ?? deps.clock.now(),
      },
      validation,
      preview,
    );
    return { status: 200, body, text: withRejected(context, 200, body, rejected) };
  }
  if (validation.valid.length === 0) throw noValidRow(source, validation);
  const counted = { topicId: checks.topicId, total: validation.valid.length };
  const batch = batchRow(deps, caller, input, sender, { scheduledAt, quietHours, ...counted });
  const answer = await context.transact(async (tx) => {
    await store(tx, batch, validation.valid);
    const body = { ...presentBatch(batch), rejected: [...validation.rejected] };
    const text = withRejected(context, 201, body, rejected);
    return { status: 201 as const, body, text };
  });
  deps.wakes.wake(LANES.batches);
  return answer;
}

/** Checks the fields that need no database. */
export function readBatch(deps: Deps, input: BatchInput) {
  const source = sourceOf(input);
  checkMetadata(input);
  const template = templateOf(input.body);
  const scheduledAt =
    input.scheduled_at === undefined ? null : scheduleTime(deps, input.scheduled_at);
  if (!input.from.startsWith("pool_") && normalizePhone(input.from) === null) {
    throw new Problem("invalid_request", "from must be a number of yours.", { param: "from" });
  }
  return { source, template, scheduledAt, quietHours: readQuietHours(input.quiet_hours) };
}

/** Serialises in slices: ten thousand rejected rows are megabytes of JSON. */
async function rejectedJson(deps: Deps, rejected: readonly RejectedRow[]): Promise<string> {
  const slices = createSlices(deps.clock);
  const rows: string[] = [];
  for (const row of rejected) {
    rows.push(JSON.stringify(row));
    if (slices.isOver()) await slices.next();
  }
  return rows.join();
}

function withRejected(
  { serialize }: Pick<Context<Principal>, "serialize">,
  status: number,
  body: BatchValidation | CreatedBatch,
  rejected: string,
): string {
  const text = serialize(status, { ...body, rejected: [] });
  return text.replace('"rejected":[]', () => `"rejected":[${rejected}]`);
}

/** The parsed body, or 400. */
export function templateOf(body: string): Template {
  if (isBlank(body)) {
    throw new Problem("invalid_request", "body must not be blank.", { param: "body" });
  }
  const parsed = parseTemplate(body);
  if (!parsed.ok) throw new Problem("invalid_request", `body: ${parsed.reason}`, { param: "body" });
  return parsed.template;
}

async function senderOf(deps: Deps, caller: Principal, from: string): Promise<ChosenSender> {
  if (from.startsWith("pool_")) {
    throw new Problem("sender_not_owned", "A batch is sent from one number, not from a pool.", {
      param: "from",
    });
  }
  return chooseSender(deps, {
    account: caller.account,
    mode: caller.mode,
    from,
    to: "",
    customerApiId: undefined,
    remember: false,
  });
}

function noValidRow(source: string, { total, rejected }: Validation): Problem {
  const [first] = rejected;
  const none =
    total === 1
      ? "The only row cannot be sent to"
      : `None of the ${total} rows can be sent to. The first`;
  const message =
    first === undefined
      ? `The batch has no rows: ${source} names nobody. Give at least one recipient.`
      : `${none}: ${first.detail} Correct it and send the batch again.`;
  return new Problem("no_valid_recipients", message, { param: source });
}

async function topicOf(deps: Deps, caller: Principal, input: BatchInput): Promise<TopicRow | null> {
  if (input.topic_id === undefined) return null;
  return findTopic(deps.db, caller.account, input.topic_id);
}

/** Finds phones that were erased, or have not opted in where the account or the topic needs it. */
function consentFilter(
  deps: Deps,
  { account, mode }: Principal,
  { number, customerId }: ChosenSender,
  topic: TopicRow | null,
): ConsentFilter {
  const isRequired = topic?.opt_in_required === true;
  const message = { account, mode, from: number.phone_number, customerId, isRequired };
  return async (phones) => {
    const candidates = phones.map((to) => ({ ...message, to }));
    const refusals = await consentRefusals(deps, deps.db, candidates);
    return new Map([...refusals].map(([index, refusal]) => [phones[index] ?? "", refusal]));
  };
}

function batchRow(
  deps: Deps,
  caller: Principal,
  input: BatchInput,
  sender: ChosenSender,
  read: {
    readonly scheduledAt: number | null;
    readonly quietHours: number | null;
    readonly topicId: string | null;
    readonly total: number;
  },
): BatchRow {
  const { scheduledAt, quietHours, topicId, total } = read;
  const now = deps.clock.now();
  return {
    shard: caller.account.shard,
    account_id: caller.account.id,
    id: deps.ids.makeAt(now),
    name: input.name ?? null,
    status: scheduledAt === null ? "sending" : "scheduled",
    mode: caller.mode,
    from_number: sender.number.phone_number,
    body: input.body,
    customer_id: sender.customerId,
    topic_id: topicId,
    scheduled_at: scheduledAt,
    total,
    waiting: total,
    handed: 0,
    retrying: 0,
    sent: 0,
    failed: 0,
    skipped: 0,
    due_at: scheduledAt ?? now,
    next_index: 0,
    wake_index: null,
    retry_running: false,
    created_at: now,
    changed_at: now,
    started_at: scheduledAt === null ? now : null,
    completed_at: null,
    canceled_at: null,
    expires_at:
      input.valid_for === undefined ? null : (scheduledAt ?? now) + input.valid_for * 1_000,
    quiet_hours: quietHours,
    metadata: metadataOrNull(input.metadata),
    audience: audienceOf(input),
    created_by: callerApiId(caller),
  };
}

async function store(tx: Tx, batch: BatchRow, rows: readonly ValidRow[]): Promise<void> {
  const time = (ms: number | null) => (ms === null ? null : new Date(ms));
  await tx.query(insertBatch, [
    batch.shard,
    batch.account_id,
    batch.id,
    batch.name,
    batch.status,
    batch.mode,
    batch.from_number,
    batch.body,
    batch.customer_id,
    batch.topic_id,
    time(batch.scheduled_at),
    batch.total,
    time(batch.due_at),
    time(batch.created_at),
    time(batch.started_at),
    time(batch.expires_at),
    batch.quiet_hours,
    textOf(batch.metadata),
    JSON.stringify(batch.audience),
    batch.created_by,
  ]);
  for (let start = 0; start < rows.length; start += ROWS_PER_INSERT_MAX) {
    const chunk = rows.slice(start, start + ROWS_PER_INSERT_MAX);
    await tx.query(insertRecipients, [
      batch.shard,
      batch.id,
      chunk.map((row) => row.index),
      chunk.map((row) => row.to),
      chunk.map((row) => textOf(row.variables)),
      time(batch.created_at),
      chunk.map((row) => textOf(row.metadata)),
    ]);
  }
  await notify(tx, "longwave_work", LANES.batches);
}

function textOf(fields: Readonly<Record<string, string>> | null): string | null {
  for (const _ in fields) return JSON.stringify(fields);
  return null;
}

/** A message has the metadata of its batch and of its recipient: together they keep the limit of a message. */
function checkMetadata({ metadata = {}, recipients = [] }: BatchInput): void {
  const keys = Object.keys(metadata);
  for (const [index, recipient] of recipients.entries()) {
    if (recipient.metadata === undefined) continue;
    const { size } = new Set([...keys, ...Object.keys(recipient.metadata)]);
    if (size <= MESSAGE_METADATA_KEYS_MAX) continue;
    const param = `recipients[${index}].metadata`;
    throw new Problem(
      "invalid_request",
      `${param} has ${size} keys with those of the batch, and a message has at most ${MESSAGE_METADATA_KEYS_MAX}. Leave some out.`,
      { param },
    );
  }
}
