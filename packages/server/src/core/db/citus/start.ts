import type pg from "pg";
import { connected } from "../driver/client.ts";
import { distribute, readDistribution } from "./distribute.ts";

export interface DistributeOptions {
  /** Connected as the owner of the tables. */
  readonly owner: pg.ClientConfig;
  /** Number of shards, for an installation that does not exist yet. */
  readonly shards: number;
  readonly say: (line: string) => void;
}

/** For the operator's command: runs, or in a dry run prints, the statements. Returns a summary. */
export async function distributeOnRequest(
  options: DistributeOptions & { readonly isDryRun: boolean },
): Promise<string> {
  const { isDryRun, shards, say } = options;
  const count = await connected(options.owner, (client) =>
    distribute({ client, shards, isDryRun, print: say }),
  );
  if (count === 0) return "Everything is distributed already.";
  return isDryRun
    ? `${count} statements would run. Nothing was changed.`
    : `Distributed: ${count} statements ran.`;
}

/**
 * Runs at every start, after the migrations. Distributes the tables of a new installation with several shards if Citus
 * has workers, and new tables of a distributed installation. Changes nothing else.
 */
export async function distributeAtStart(options: DistributeOptions): Promise<void> {
  const { shards, say } = options;
  await connected(options.owner, async (client) => {
    const { hasWorkers, isDistributed } = await readDistribution(client);
    if (!hasWorkers) return;
    if (!isDistributed && (shards === 1 || !(await isNew(client)))) return;
    const lines: string[] = [];
    const count = await distribute({ client, shards, print: (line) => lines.push(line) });
    if (count > 0) say(`Distributed the tables over the workers of Citus (${count} statements).`);
  });
}

async function isNew(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query("select 1 from installation");
  return rows.length === 0;
}
