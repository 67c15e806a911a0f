import { statement } from "../../core/db/driver/statement.ts";
import { readMigrations } from "../../core/db/schema/migrate.ts";
import type { WorkerDeps } from "../../core/queue/deps.ts";
import { type QueueHealth, queueHealth } from "../../core/queue/health.ts";
import type { CarriersDeps } from "../../network/carriers/deps.ts";
import { liveNumbersIn } from "../../network/numbers/index.ts";
import { cached } from "./cached.ts";

/** Clients may poll as often as they like; the checks run at most this often. */
const ANSWER_MS_MAX = 1_000;

/** Dependencies of the health checks. */
export interface HealthDeps extends WorkerDeps, CarriersDeps {}

/** Maximum numbers that a check lists. */
const NUMBERS_NAMED_MAX = 10;

/** Whether the service works, and which check fails. */
export interface Readiness {
  readonly ready: boolean;
  readonly checks: Readonly<Record<string, { readonly ok: boolean } & Record<string, unknown>>>;
}

/** Names of the checks and whether each is ok: numbers and carriers are nobody else's business. */
export function withoutDetails({ ready, checks }: Readiness): Readiness {
  const named = Object.entries(checks).map(([name, { ok }]) => [name, { ok }] as const);
  return { ready, checks: Object.fromEntries(named) };
}

const appliedMigrations = statement("applied_migrations", "select name from schema_migrations");

const readHeld = statement(
  "read_held",
  "select held_reason as reason from database_identity where held_since is not null",
);

/** Ready: requests are answered, and a worker of this or another process does due work. */
export function createReadiness(deps: HealthDeps): () => Promise<Readiness> {
  const missing = missingMigrations(deps);
  return cached(deps.clock, ANSWER_MS_MAX, async () => {
    try {
      const [health, names, canWrite, carriers, [held]] = await Promise.all([
        queueHealth(deps),
        missing(),
        deps.db.canWrite(),
        carriersCheck(deps),
        deps.db.query<{ reason: string }>(readHeld, []),
      ]);
      const { ready, checks } = readinessOf(health, names, canWrite);
      const hold = held ? { hold: { ok: false, reason: held.reason } } : {};
      // Reported only: one customer's number must not take the server out of service.
      return { ready: ready && !held, checks: { ...checks, ...hold, carriers } };
    } catch {
      return { ready: false, checks: { database: { ok: false } } };
    }
  });
}

function readinessOf(
  health: QueueHealth,
  missing: readonly string[],
  canWrite: boolean,
): Readiness {
  const behind = health.lanes.map((lane) => [lane.lane, lane.secondsBehind] as const);
  const checks = {
    database: canWrite ? { ok: true } : { ok: false, reason: "The database cannot write." },
    migrations: { ok: missing.length === 0, missing },
    workers: { ok: health.liveWorkers > 0, live: health.liveWorkers },
    lanes: { ok: !health.isBehind, seconds_behind: Object.fromEntries(behind) },
  };
  return { ready: Object.values(checks).every((check) => check.ok), checks };
}

/** Whether every live number has a carrier with a link that is up. */
async function carriersCheck(deps: HealthDeps) {
  const [unserved, unlinked] = await Promise.all([
    liveNumbersIn(deps, deps.carriers.unserved(), NUMBERS_NAMED_MAX),
    liveNumbersIn(deps, deps.carriers.downNumbers(), NUMBERS_NAMED_MAX),
  ]);
  const links = deps.carriers
    .all()
    .map((carrier) => [carrier.name, carrier.state().state] as const);
  return {
    ok: unserved.length === 0 && unlinked.length === 0,
    links: Object.fromEntries(links),
    numbers_without_carrier: unserved,
    numbers_without_link: unlinked,
  };
}

/** Migrations that this version needs and the database lacks. Once complete, always complete. */
function missingMigrations(deps: WorkerDeps): () => Promise<readonly string[]> {
  let isComplete = false;
  return async () => {
    if (isComplete) return [];
    const rows = await deps.db.query<{ name: string }>(appliedMigrations, []);
    const applied = new Set(rows.map((row) => row.name));
    const needed = (await readMigrations()).map((migration) => migration.name);
    const missing = needed.filter((name) => !applied.has(name));
    isComplete = missing.length === 0;
    return missing;
  };
}
