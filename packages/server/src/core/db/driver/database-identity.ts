import type pg from "pg";
import { expect } from "../platform/assert.ts";
import { DatabaseUnavailable } from "./failures.ts";
import { statement } from "./statement.ts";
import type { Queryable } from "./transaction.ts";

/**
 * Which database answers: the cluster, by the number that initdb gave it, and the database in it. A
 * dump that is loaded elsewhere is in another home; a backup of the files that is brought back is in
 * the same one.
 */
export interface Home {
  readonly home: string;
  /** Counted up whenever a standby becomes the primary, or a backup is played forward; null on a standby. */
  readonly timeline: number | null;
}

const HOME = `
  (select system_identifier from pg_control_system())::text || '/' ||
    (select oid from pg_database where datname = current_database()) as home,
  case when not pg_is_in_recovery()
       then ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int end as timeline`;

const readHomeStatement = statement("read_home", `select ${HOME}`);

export async function readHome(db: Queryable): Promise<Home> {
  const [row] = await db.query<Home>(readHomeStatement, []);
  return expect(row, "the database does not say which one it is");
}

/** What a process knows of its database, and what a data folder keeps of it. */
export interface Seen {
  readonly home: string;
  readonly timeline: number;
  /** The last moment, epoch ms, that a process told of itself there. */
  readonly beatenAtMs: number;
}

const SEEN = `select ${HOME}, floor(extract(epoch from h.beaten_at) * 1000)::float8 as beaten_at_ms
                from database_home h`;

/** What of a database a process has seen before it uses a connection to it. */
export async function readSeen(client: pg.ClientBase): Promise<Seen> {
  const { rows } = await client.query<Home & { beaten_at_ms: number }>(SEEN);
  const { home, timeline, beaten_at_ms } = expect(rows[0], "the database has no home");
  if (timeline === null) throw notUsable("It is a standby and cannot be written to.");
  return { home, timeline, beatenAtMs: beaten_at_ms };
}

/** Compares what answers with what was seen before, and what is wrong with it in a sentence. */
export function comparedWith(before: Seen, now: Seen): "same" | "old_primary" | "restored" {
  if (now.home !== before.home) return "restored";
  if (now.timeline < before.timeline) return "old_primary";
  return now.beatenAtMs < before.beatenAtMs ? "restored" : "same";
}

/** Looks at every connection before it is used: the database behind an address may change. */
export interface HomeGuard {
  check(client: pg.ClientBase): Promise<void>;
  /** What is known of the database by now; null before the first connection. */
  seen(): Seen | null;
  /** Takes over what the database was just seen to be. */
  learn(seen: Seen): void;
  /** Told once, when the database was replaced by another one or by its own past. */
  onReplaced(hear: (sentence: string) => void): void;
}

/** Begins with what the process was started on, where that was looked at before. */
export function createHomeGuard(seen: Seen | null = null): HomeGuard {
  let known = seen;
  let hear: ((sentence: string) => void) | null = null;
  return {
    async check(client) {
      // What was known when the question left: another connection may have seen a later moment since.
      const before = known;
      const now = await readSeen(client);
      const verdict = before === null ? "same" : comparedWith(before, now);
      if (verdict === "same") {
        if (known === null || comparedWith(known, now) === "same") known = now;
        return;
      }
      if (verdict === "old_primary") {
        throw notUsable("It is a primary that has been replaced, and must not be written to.");
      }
      hear?.("The database was restored, or replaced by another one, while this process ran.");
      hear = null;
      throw notUsable("It was restored, or replaced by another one.");
    },
    seen: () => known,
    learn(seen) {
      // A connection may have been to a newer primary meanwhile.
      if (known === null || comparedWith(known, seen) === "same") known = seen;
    },
    onReplaced(hearer) {
      hear = hearer;
    },
  };
}

function notUsable(what: string): DatabaseUnavailable {
  return new DatabaseUnavailable("The database cannot be used right now.", {
    cause: new Error(what),
  });
}
