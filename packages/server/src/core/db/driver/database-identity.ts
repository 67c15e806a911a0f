import type pg from "pg";
import { expect } from "../../platform/assert.ts";
import { DatabaseUnavailable } from "./failures.ts";
import { statement } from "./statement.ts";
import type { Queryable } from "./transaction.ts";

/**
 * The cluster (system identifier from initdb) and the OID of the database in it. A restored dump has another identity;
 * a restored file backup has the same one.
 */
export interface DatabaseIdentity {
  readonly home: string;
  /** Increases when a standby is promoted and after point-in-time recovery; null on a standby. */
  readonly timeline: number | null;
}

const IDENTITY = `
  (select system_identifier from pg_control_system())::text || '/' ||
    (select oid from pg_database where datname = current_database()) as home,
  case when not pg_is_in_recovery()
       then ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int end as timeline`;

const readIdentityStatement = statement("read_database_identity", `select ${IDENTITY}`);

export async function readIdentity(db: Queryable): Promise<DatabaseIdentity> {
  const [row] = await db.query<DatabaseIdentity>(readIdentityStatement, []);
  return expect(row, "the database does not say which one it is");
}

/** Identity and latest heartbeat of a database, as recorded by a process or in a data folder. */
export interface LastSeen {
  readonly home: string;
  readonly timeline: number;
  /** Latest heartbeat of any process, in epoch ms. */
  readonly lastHeartbeatAtMs: number;
}

const LAST_SEEN = `select ${IDENTITY}, floor(extract(epoch from h.heartbeat_at) * 1000)::float8 as heartbeat_at_ms
                from database_identity h`;

/** Reads identity and heartbeat on a connection before its first use. */
export async function readLastSeen(client: pg.ClientBase): Promise<LastSeen> {
  const { rows } = await client.query<DatabaseIdentity & { heartbeat_at_ms: number }>(LAST_SEEN);
  const { home, timeline, heartbeat_at_ms } = expect(rows[0], "the database has no home");
  if (timeline === null) throw notUsable("It is a standby and cannot be written to.");
  return { home, timeline, lastHeartbeatAtMs: heartbeat_at_ms };
}

/** Compares a database with the one seen before. */
export function compareIdentity(
  before: LastSeen,
  now: LastSeen,
): "same" | "old_primary" | "restored" {
  if (now.home !== before.home) return "restored";
  if (now.timeline < before.timeline) return "old_primary";
  return now.lastHeartbeatAtMs < before.lastHeartbeatAtMs ? "restored" : "same";
}

/** Checks every new connection before use, because the database behind an address may change. */
export interface IdentityGuard {
  check(client: pg.ClientBase): Promise<void>;
  /** The database as last seen; null before the first connection. */
  seen(): LastSeen | null;
  /** Records the database as just read. */
  learn(seen: LastSeen): void;
  /**
   * Registers a callback that runs once if the database was replaced by another one or an older backup.
   */
  onReplaced(hear: (sentence: string) => void): void;
}

/** `seen`: the database that start-up has already checked, if any. */
export function createIdentityGuard(seen: LastSeen | null = null): IdentityGuard {
  let known = seen;
  let hear: ((sentence: string) => void) | null = null;
  return {
    async check(client) {
      // Read before the query: another connection may record a later heartbeat meanwhile.
      const before = known;
      const now = await readLastSeen(client);
      const verdict = before === null ? "same" : compareIdentity(before, now);
      if (verdict === "same") {
        if (known === null || compareIdentity(known, now) === "same") known = now;
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
      // Another connection may have reached a newer primary meanwhile.
      if (known === null || compareIdentity(known, seen) === "same") known = seen;
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
