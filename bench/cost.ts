import { readdirSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { Server } from "./server.ts";

/** Cost of one response, all resulting work included. */
export interface Cost {
  readonly nodeMicros: number;
  readonly postgresMicros: number;
  readonly walBytes: number;
  /** Index entries written, counted in PostgreSQL's WAL. */
  readonly indexEntries: number;
}

/** Processes whose processor time is counted. */
export interface Measured extends Pick<Server, "pid" | "folder" | "connection"> {
  /** Further server processes on the same PostgreSQL. */
  readonly morePids?: readonly number[];
}

interface Reading {
  readonly nodeTicks: number;
  readonly postgresTicks: number;
  readonly lsn: string;
}

/** Unit of Linux's processor time: a hundredth of a second. */
export const MICROS_PER_TICK = 10_000;
/** Time that resulting work takes: sandbox receipts come a second after their messages. */
export const AFTERMATH_MS = 2_500;

/**
 * Measures the cost of a load. Processor time is steadier than a rate: other programs take time away, but do
 * not add to it.
 */
export async function measureCost<T>(
  server: Measured,
  work: () => Promise<T>,
  answersOf: (result: T) => number,
): Promise<{ result: T; cost: Cost }> {
  const client = new pg.Client(server.connection);
  await client.connect();
  try {
    await client.query("create extension if not exists pg_walinspect");
    const before = await read(server, client);
    const result = await work();
    await sleep(AFTERMATH_MS);
    const after = await read(server, client);
    const { rows } = await client.query(WRITTEN, [before.lsn, after.lsn]);
    const [written] = rows as { bytes: string; entries: string }[];
    const answers = answersOf(result);
    const cost = {
      nodeMicros: ((after.nodeTicks - before.nodeTicks) * MICROS_PER_TICK) / answers,
      postgresMicros: ((after.postgresTicks - before.postgresTicks) * MICROS_PER_TICK) / answers,
      walBytes: Number(written?.bytes) / answers,
      indexEntries: Number(written?.entries) / answers,
    };
    return { result, cost };
  } finally {
    await client.end();
  }
}

const WRITTEN = `
  select $2::pg_lsn - $1::pg_lsn as bytes,
         coalesce(sum(count) filter (where "resource_manager/record_type" ~ '^Btree/INSERT_(LEAF|POST)'), 0) as entries
    from pg_get_wal_stats($1::pg_lsn, $2::pg_lsn, true)`;

async function read({ pid, folder, morePids = [] }: Measured, client: pg.Client): Promise<Reading> {
  const { rows } = await client.query("select pg_current_wal_lsn()::text as lsn");
  const lines = await readFile(join(folder, "postgres/cluster/postmaster.pid"), "utf8");
  const postmaster = Number(lines.split("\n")[0]);
  return {
    nodeTicks: [pid(), ...morePids].reduce((sum, one) => sum + ticksOf(one).own, 0),
    postgresTicks: ticksOfFamily(postmaster),
    lsn: (rows[0] as { lsn: string }).lsn,
  };
}

/** Processor ticks of a process and its children, ended ones included. */
export function ticksOfFamily(parent: number): number {
  const { own, ofEnded } = ticksOf(parent);
  let ticks = own + ofEnded;
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const child = ticksOf(Number(name));
      if (child.parent === parent) ticks += child.own;
    } catch {
      // The process ended meanwhile.
    }
  }
  return ticks;
}

export function ticksOf(pid: number): { parent: number; own: number; ofEnded: number } {
  const text = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The program name in brackets may contain anything.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const at = (index: number) => Number(fields[index]);
  return { parent: at(1), own: at(11) + at(12), ofEnded: at(13) + at(14) };
}
