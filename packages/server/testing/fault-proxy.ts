import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import type { ClientConfig } from "pg";
import type { Lifetime } from "./kit.ts";

/** What the proxy does with the traffic between the server and PostgreSQL. */
export type Fault =
  | "none"
  /** The database is away: connections are reset and new ones refused. */
  | "away"
  /** Nothing is answered any more, and nobody says so. */
  | "black-hole";

export interface FaultProxy {
  /** The same database, reached through the proxy. */
  readonly connection: ClientConfig;
  set(fault: Fault): void;
  /** What came from the server's side and went nowhere, so far. */
  swallowedBytes(): number;
  /**
   * Calls back once, when the database next reports a commit. The report goes no further: the
   * commit has happened, and nobody but the database knows.
   */
  onceCommitted(hear: (cut: () => void) => void): void;
}

/** Stands between a server and PostgreSQL, so that a test can break what is between them. */
export async function startFaultProxy(t: Lifetime, target: ClientConfig): Promise<FaultProxy> {
  const pairs = new Set<{ client: Socket; database: Socket }>();
  let fault: Fault = "none";
  let swallowedBytes = 0;
  let hearCommit: ((cut: () => void) => void) | null = null;

  const server = createServer((client) => {
    client.on("error", () => {});
    if (fault === "away") {
      client.resetAndDestroy();
      return;
    }
    const database = connect(join(String(target.host), `.s.PGSQL.${target.port ?? 5432}`));
    const pair = { client, database };
    pairs.add(pair);
    database.on("error", () => client.destroy());
    database.on("close", () => client.destroy());
    client.on("close", () => {
      pairs.delete(pair);
      database.destroy();
    });
    client.on("data", (chunk) => {
      if (fault === "none") database.write(chunk);
      else swallowedBytes += chunk.length;
    });
    database.on("data", (chunk) => {
      if (fault !== "none") return;
      const hear = hearCommit;
      // CommandComplete of a commit: 'C', its length, the tag.
      if (hear && chunk.includes("COMMIT\0")) {
        hearCommit = null;
        hear(() => client.resetAndDestroy());
        return;
      }
      client.write(chunk);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(async () => {
    for (const { client } of pairs) client.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    connection: { ...target, host: "127.0.0.1", port: (server.address() as AddressInfo).port },
    set(next) {
      fault = next;
      if (next === "away") for (const { client } of pairs) client.resetAndDestroy();
    },
    swallowedBytes: () => swallowedBytes,
    onceCommitted(hear) {
      hearCommit = hear;
    },
  };
}
