import type pg from "pg";
import { connected } from "../client.ts";
import { distribute, readDistribution } from "./distribute.ts";

export interface DistributeOptions {
  /** The database, as the owner of its tables. */
  readonly owner: pg.ClientConfig;
  /** Shards of an installation that is not made yet. */
  readonly shards: number;
  readonly say: (line: string) => void;
}

/** What an operator asks for: answers a sentence, or prints the statements that it would run. */
export async function distributeByHand(
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
 * At every start, after the migrations: a new installation of several shards on a Citus that has workers is
 * made distributed, and one that is gets its new tables distributed. Everything else is left as it is.
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
