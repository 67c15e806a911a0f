import { createHash } from "node:crypto";
import type { Base } from "../../core/base.ts";
import type { Queryable, Step } from "../../core/db/driver/database.ts";
import { statement } from "../../core/db/driver/statement.ts";
import { storableText } from "../../core/platform/outside-text.ts";
import type { CallbackKind, ReadableCallback } from "./carrier.ts";

/** Newest callbacks kept of a carrier. */
const KEPT_PER_CARRIER_MAX = 500;
/** Longer bodies are not kept; callbacks of providers are a few kilobytes. */
const BODY_BYTES_MAX = 16 * 1024;
const QUERY_CHARS_MAX = 4_000;
const REASON_CHARS_MAX = 500;
const SHARD = 0;

/** A callback that had no effect, and why. */
export interface Kept extends ReadableCallback {
  readonly carrier: string;
  readonly kind: CallbackKind;
  readonly reason: string;
}

export interface KeptRow {
  readonly id: string;
  readonly carrier: string;
  readonly kind: CallbackKind;
  readonly reason: string;
  readonly query: string;
  readonly content_type: string;
  readonly body: Buffer;
  readonly is_item: boolean;
  readonly times: number;
  readonly last_at: number;
}

const COLUMNS = "id, carrier, kind, reason, query, content_type, body, is_item, times, last_at";

// All writers take rows in this order, so that they cannot deadlock.
const keepCallbacks = statement(
  "keep_callbacks",
  `insert into kept_callbacks as k
     (shard, id, carrier, kind, digest, reason, query, content_type, body, is_item, times, last_at)
   select $1, g.id, g.carrier, g.kind, g.digest, g.reason, g.query, g.content_type, g.body, g.is_item, 1, $2
     from unnest($3::uuid[], $4::text[], $5::text[], $6::bytea[], $7::text[], $8::text[], $9::text[],
                 $10::bytea[], $11::boolean[])
          as g (id, carrier, kind, digest, reason, query, content_type, body, is_item)
    order by g.carrier, g.digest
   on conflict (shard, carrier, digest) do update
      set times = k.times + 1, last_at = excluded.last_at, reason = excluded.reason`,
);

const trimCallbacks = statement(
  "trim_kept_callbacks",
  `delete from kept_callbacks k
    where k.shard = $1 and k.carrier = any($2::text[]) and k.id < (
      select n.id from kept_callbacks n where n.shard = $1 and n.carrier = k.carrier
       order by n.id desc offset ${KEPT_PER_CARRIER_MAX - 1} limit 1)`,
);

/** Kept callbacks of a carrier, newest first. $3 is the id after which the page begins, or null. */
const listKept = statement(
  "list_kept_callbacks",
  `select ${COLUMNS} from kept_callbacks
    where shard = $1 and carrier = $2 and ($3::uuid is null or id < $3) order by id desc limit $4`,
);

const deleteKept = statement(
  "delete_kept_callbacks",
  "delete from kept_callbacks where shard = $1 and id = any($2::uuid[])",
);

const noteStillKept = statement(
  "note_still_kept_callbacks",
  `update kept_callbacks k set reason = g.reason
     from unnest($2::uuid[], $3::text[]) as g (id, reason) where k.shard = $1 and k.id = g.id`,
);

type Deps = Pick<Base, "db" | "ids" | "clock">;

export interface KeepDeps extends Deps {
  readonly erasedPhones: {
    namedIn(db: Queryable, texts: readonly string[]): Promise<ReadonlySet<number>>;
  };
}

/** Steps that keep callbacks; empty when there is nothing to keep. */
export function keepSteps(
  { ids, clock }: Pick<Deps, "ids" | "clock">,
  given: readonly Kept[],
): Step[] {
  const fitting = given.filter(({ body }) => body.length <= BODY_BYTES_MAX);
  // One statement cannot change a row twice.
  const kept = [...new Map(fitting.map((one) => [digestOf(one).toString("hex"), one])).values()];
  if (kept.length === 0) return [];
  const now = clock.now();
  const values = [
    SHARD,
    new Date(now),
    kept.map(() => ids.makeAt(now)),
    kept.map(({ carrier }) => carrier),
    kept.map(({ kind }) => kind),
    kept.map(digestOf),
    kept.map(({ reason }) => storableText(reason.slice(0, REASON_CHARS_MAX))),
    kept.map(({ query }) => storableText(query.slice(0, QUERY_CHARS_MAX))),
    kept.map(({ contentType }) => storableText(contentType.slice(0, 200))),
    kept.map(({ body }) => body),
    kept.map(({ isItem }) => isItem),
  ];
  const carriers = [...new Set(kept.map(({ carrier }) => carrier))];
  return [
    { statement: keepCallbacks, values },
    { statement: trimCallbacks, values: [SHARD, carriers] },
  ];
}

/**
 * Keeps contents that cannot be read. A receipt about somebody who was erased is not kept: an
 * incoming message is, because the person wrote again.
 */
export async function keepUnreadable(deps: KeepDeps, kept: readonly Kept[]): Promise<void> {
  const texts = kept.map(({ kind, query, body }) =>
    kind === "receipts" ? `${query}\n${body.toString("latin1")}` : "",
  );
  const named = await deps.erasedPhones.namedIn(deps.db, texts);
  const steps = keepSteps(
    deps,
    kept.filter((_, at) => !named.has(at)),
  );
  if (steps.length === 0) return;
  await deps.db.tx(async (tx) => {
    for (const { statement, values } of steps) await tx.query(statement, values);
  });
}

export function listKeptCallbacks(
  { db }: Pick<Deps, "db">,
  carrier: string,
  { after, limit }: { readonly after: string | null; readonly limit: number },
): Promise<KeptRow[]> {
  return db.query<KeptRow>(listKept, [SHARD, carrier, after, limit]);
}

/** Forgets callbacks that were read, and stores why the others still were not. */
export async function settleKeptCallbacks(
  { db }: Pick<Deps, "db">,
  read: readonly string[],
  unread: ReadonlyMap<string, string>,
): Promise<void> {
  if (read.length > 0) await db.query(deleteKept, [SHARD, read]);
  if (unread.size === 0) return;
  const reasons = [...unread.values()].map((reason) => reason.slice(0, REASON_CHARS_MAX));
  await db.query(noteStillKept, [SHARD, [...unread.keys()], reasons]);
}

function digestOf({ kind, query, body, isItem }: Kept): Buffer {
  return createHash("sha256")
    .update(JSON.stringify([kind, query, isItem]))
    .update(body)
    .digest();
}
