import { statfs } from "node:fs/promises";
import { formatTimestamp, Input, KEY_MODES, type Mode, TimestampQuery } from "@longwave/contract";
import { type Static, Type } from "typebox";
import type { Base } from "../../core/base.ts";
import { statement } from "../../core/db/driver/statement.ts";
import { toApiId } from "../../core/platform/ids.ts";
import { parseTimestampParam } from "../../http/api/parse-fields.ts";
import { parseQuery } from "../../http/body/query.ts";
import { compileSchema } from "../../http/body/validate.ts";
import {
  type InstallationTraffic,
  readInstallationTraffic,
} from "../../messaging/deliverability/index.ts";
import { roleMissing } from "./mounts.ts";
import { type OwnRoute, ok, signedIn } from "./own-routes.ts";
import { nameAccounts } from "./sql.ts";

const HOURS = 24;
const ACCOUNTS_SHOWN = 5;
/** Counting stops here: more waiting work than this is a backlog, whatever its length. */
const WAITING_COUNTED_MAX = 10_000;

/** Rows of the tables of due work, each counted up to $2. */
const countWaiting = statement(
  "count_waiting_work",
  `select (select count(*) from (select 1 from due_attempts where shard = $1 limit $2) as a)::int as messages,
          (select count(*) from (select 1 from webhook_jobs where shard = $1 limit $2) as w)::int as webhooks,
          (select count(*) from (select 1 from jobs where shard = $1 and failed_at is null limit $2) as j)::int as jobs`,
);

const readDatabaseSize = statement(
  "read_database_size",
  "select pg_database_size(current_database())::float8 as bytes",
);

const InstallationQuery = Input({ hour: Type.Optional(TimestampQuery({})) });
const validate = compileSchema(InstallationQuery, "query");

/**
 * Figures of the whole installation, for operators: traffic, waiting work, disk, and the busiest accounts of the day or
 * of one hour.
 */
export const installationRoutes: readonly OwnRoute[] = [
  signedIn("GET", "/installation", null, async ({ deps, exchange }, session) => {
    if (!session.isOperator) throw roleMissing("operator");
    const query = parseQuery(exchange.rawQuery, InstallationQuery) as Static<
      typeof InstallationQuery
    >;
    validate(query);
    const hourMs = parseTimestampParam(query.hour, "hour");
    return deps.withinLimit({ limitKind: "heavy" }, exchange, session.userId, async () => {
      const [waiting, disk, ...traffic] = await Promise.all([
        readWaiting(deps),
        readDisk(deps),
        ...KEY_MODES.map((mode) => trafficOf(deps, mode, hourMs)),
      ]);
      const modes = Object.fromEntries(KEY_MODES.map((mode, index) => [mode, traffic[index]]));
      return ok({ object: "installation", hours: HOURS, waiting, disk, ...modes });
    });
  }),
];

type Waiting = Readonly<Record<"messages" | "webhooks" | "jobs", number>>;

async function readWaiting({ db, shards }: Base): Promise<Waiting> {
  const sum = { messages: 0, webhooks: 0, jobs: 0 };
  for (let shard = 0; shard < shards; shard += 1) {
    const [row] = await db.query<Waiting>(countWaiting, [shard, WAITING_COUNTED_MAX]);
    sum.messages += row?.messages ?? 0;
    sum.webhooks += row?.webhooks ?? 0;
    sum.jobs += row?.jobs ?? 0;
  }
  return sum;
}

/** Size of the database, and the free space beside an embedded one; null where it is elsewhere. */
async function readDisk({ db, config }: Base) {
  const [row] = await db.query<{ bytes: number }>(readDatabaseSize, []);
  const space =
    config.databaseUrl === null ? await statfs(config.dataFolder).catch(() => null) : null;
  return {
    database_bytes: row?.bytes ?? 0,
    free_bytes: space === null ? null : space.bavail * space.bsize,
    total_bytes: space === null ? null : space.blocks * space.bsize,
  };
}

async function trafficOf(deps: Base, mode: Mode, hourMs: number | null) {
  const wanted = { mode, hours: HOURS, accountsMax: ACCOUNTS_SHOWN, hourMs };
  const traffic = await readInstallationTraffic(deps, wanted);
  const ids = traffic.busiest.map(({ accountId }) => accountId);
  const named = await deps.db.query<{ id: string; name: string }>(nameAccounts, [ids]);
  return presentTraffic(traffic, new Map(named.map(({ id, name }) => [id, name])));
}

function presentTraffic(traffic: InstallationTraffic, names: ReadonlyMap<string, string>) {
  return {
    created_after: formatTimestamp(traffic.fromMs),
    series: traffic.series.map(({ hourMs, ...tally }) => ({
      hour: formatTimestamp(hourMs),
      ...tally,
    })),
    busiest: traffic.busiest.map(({ accountId, ...tally }) => ({
      account: { id: toApiId("account", accountId), name: names.get(accountId) ?? null },
      ...tally,
    })),
  };
}
