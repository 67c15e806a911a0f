import { FREE_TEXTS_PER_MONTH, type MessageBilling } from "@longwave/contract";
import type { Step, Tx } from "../../core/db/driver/database.ts";
import type { Group } from "../../core/db/driver/group.ts";
import { statement } from "../../core/db/driver/statement.ts";
import { dayOf, monthOf } from "../../core/platform/clock.ts";
import type { QueueDeps } from "../../core/queue/deps.ts";
import type { Carrier } from "../../network/carriers/index.ts";
import {
  ACCEPT_COLUMNS,
  type Accepted,
  acceptMessages,
  lockAccounts,
  type MessageRow,
  type PreparedMessage,
  type Verdict,
  wakeWhenDue,
} from "../messages/index.ts";
import type { AccountQueue } from "./account-queue.ts";
import { createAccountWriter } from "./account-writer.ts";

/** Answer of `accept_messages_v1`; all null when every item is accepted and free of charge. */
export interface AcceptRow {
  readonly verdicts: readonly Verdict[] | null;
  readonly billings: readonly MessageBilling[] | null;
  /** As strings: the column is bigint[]. */
  readonly costs: readonly string[] | null;
}

const ACCEPTED_FREE: Accepted = { verdict: "accepted", costMicros: 0, billing: "none" };

const ITEMS_WAITING_MAX = 5_000;
/** An account with more messages than the service takes leaves room for those of others. */
const ACCOUNT_ITEMS_WAITING_MAX = 4_000;

/** Stores messages with group commit: the hot path of the service. */
export type MessageWriter = Group<PreparedMessage, Accepted>;

type WriterDeps = Pick<QueueDeps, "db" | "clock" | "ids" | "wakes">;

export function createMessageWriter(deps: WriterDeps, queue: AccountQueue): MessageWriter {
  const { db } = deps;
  const rowOf = ({ row }: PreparedMessage) => row;
  const apart = createAccountWriter<PreparedMessage, Accepted>({
    db,
    rowOf,
    write: (tx, shard, messages) => acceptIn(deps, tx, shard, messages),
  });
  const again = createAccountWriter<PreparedMessage, Accepted>({
    db,
    rowOf,
    write: (tx, shard, messages) => acceptOnce(deps, tx, shard, messages),
  });
  const group = queue.attach<PreparedMessage, Accepted>({
    name: "messages",
    itemsWaitingMax: ITEMS_WAITING_MAX,
    accountItemsWaitingMax: ACCOUNT_ITEMS_WAITING_MAX,
    ownerOf: ({ row }) => ({ shard: row.shard, accountId: row.account_id }),
    writeApart: (message) => apart.add(message),
    plan: (shard, messages) => ({
      lock: [],
      write: acceptStep(deps, shard, messages),
      follow: [],
      resultsOf: (rows) => acceptedOf(messages, rows as AcceptRow[]),
    }),
    wire: {
      pack: packMessage,
      unpack: unpackMessage,
      writeAgain: (message) => again.add(message),
    },
  });
  return {
    add: group.add,
    async drain() {
      await Promise.all([group.drain(), apart.drain(), again.drain()]);
    },
  };
}

interface PackedClaim {
  readonly keyHash: string;
  readonly fingerprint: string;
  readonly answer: { readonly status: number; readonly body: string } | null;
}

/** A prepared message as JSON. Storing it needs no more of its carrier than the name. */
type PackedMessage = Omit<PreparedMessage, "claim" | "carrier"> & {
  readonly claim: PackedClaim | null;
  readonly carrier: { readonly name: string } | null;
};

function packMessage(message: PreparedMessage): PackedMessage {
  const { claim, carrier } = message;
  return {
    ...message,
    claim: claim && {
      keyHash: claim.keyHash.toString("hex"),
      fingerprint: claim.fingerprint.toString("hex"),
      answer: claim.answer,
    },
    carrier: carrier && { name: carrier.name },
  };
}

function unpackMessage(packed: unknown): PreparedMessage {
  const { claim, carrier, ...message } = packed as PackedMessage;
  return {
    ...message,
    claim: claim && {
      keyHash: Buffer.from(claim.keyHash, "hex"),
      fingerprint: Buffer.from(claim.fingerprint, "hex"),
      answer: claim.answer,
    },
    carrier: carrier as Carrier | null,
  };
}

const findStored = statement(
  "find_stored_messages",
  `select m.id, m.price_micros, m.billing from messages m
    where m.shard = $1 and m.id = any($2::uuid[])`,
);

/**
 * Accepts those messages that are not stored yet. Another process was lost before it answered for them.
 *
 * The account's lock comes first, so a write of that process that has begun is visible. A write that it had sent and
 * PostgreSQL begins later fails on the id of the message, which is unique, and rolls back.
 */
async function acceptOnce(
  deps: Pick<QueueDeps, "clock" | "ids" | "wakes">,
  tx: Tx,
  shard: number,
  messages: readonly PreparedMessage[],
): Promise<Accepted[]> {
  const accounts = [...new Set(messages.map(({ row }) => row.account_id))];
  tx.send(lockAccounts, [shard, accounts]);
  const stored = await tx.query<Pick<MessageRow, "id" | "price_micros" | "billing">>(findStored, [
    shard,
    messages.map(({ row }) => row.id),
  ]);
  const known = new Map(
    stored.map(({ id, price_micros: costMicros, billing }): [string, Accepted] => [
      id,
      { verdict: "accepted", costMicros, billing },
    ]),
  );
  const missing = messages.filter(({ row }) => !known.has(row.id));
  const accepted = missing.length === 0 ? [] : await acceptIn(deps, tx, shard, missing);
  missing.forEach(({ row }, index) => {
    known.set(row.id, accepted[index] as Accepted);
  });
  return messages.map(({ row }) => known.get(row.id) as Accepted);
}

/** Accepts messages in the caller's transaction, for work that moves other rows too. */
export async function acceptIn(
  deps: Pick<QueueDeps, "clock" | "ids" | "wakes">,
  tx: Tx,
  shard: number,
  messages: readonly PreparedMessage[],
): Promise<Accepted[]> {
  return acceptedOf(messages, await tx.query<AcceptRow>(acceptStep(deps, shard, messages)));
}

/** Builds the step that accepts these messages; `acceptedOf` reads its answer. */
export function acceptStep(
  deps: Pick<QueueDeps, "clock" | "ids" | "wakes">,
  shard: number,
  messages: readonly PreparedMessage[],
): Step {
  const now = deps.clock.now();
  const accounts = [...new Set(messages.map(({ row }) => row.account_id))];
  const items = messages.map((message) => ({
    message,
    eventId: message.event === null ? null : deps.ids.makeAt(now),
  }));
  wakeFor(deps, messages);
  const values = [
    shard,
    new Date(now),
    monthOf(now),
    dayOf(now),
    FREE_TEXTS_PER_MONTH,
    accounts,
    messages.map((_, index) => index + 1),
    ...ACCEPT_COLUMNS.map((column) => column.textOf(items)),
  ];
  return { statement: acceptMessages.call, values };
}

/** Wakes the receipt and dispatch lanes at the first due time of these messages. */
function wakeFor({ wakes }: Pick<QueueDeps, "wakes">, messages: readonly PreparedMessage[]): void {
  wakeWhenDue(
    wakes,
    messages.map(({ row, receiptDueAt }) => ({ receiptDueAt, attemptDueAt: row.next_attempt_at })),
  );
}

export function acceptedOf(
  messages: readonly PreparedMessage[],
  [row]: readonly AcceptRow[],
): Accepted[] {
  if (!row?.verdicts) return messages.map(() => ACCEPTED_FREE);
  const { verdicts, billings, costs } = row;
  return verdicts.map((verdict, index) => ({
    verdict,
    costMicros: Number(costs?.[index] ?? 0),
    billing: billings?.[index] ?? "none",
  }));
}

/** The one account that all ids name, or null when there are several. */
export function onlyAccount(accountIds: readonly string[]): string | null {
  const [first = null] = accountIds;
  return accountIds.every((id) => id === first) ? first : null;
}
