import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import type { ClientConfig } from "pg";
import type { Lifetime } from "./kit.ts";

/** Fault between the server and PostgreSQL. */
export type Fault =
  | "none"
  /** Connections are reset and new ones refused. */
  | "away"
  /** Traffic is dropped silently in both directions. */
  | "black-hole";

export interface FaultProxy {
  /** Connection to the database through the proxy. */
  readonly connection: ClientConfig;
  set(fault: Fault): void;
  /** Bytes from the server that the proxy dropped so far. */
  swallowedBytes(): number;
  /**
   * Calls back once, when the database next reports a commit, and drops the report. The commit has happened,
   * and only the database knows.
   */
  onceCommitted(callback: (disconnect: () => void) => void): void;
}

/** Starts a proxy between a server and PostgreSQL that a test can break. */
export async function startFaultProxy(t: Lifetime, target: ClientConfig): Promise<FaultProxy> {
  const pairs = new Set<{ client: Socket; database: Socket }>();
  let fault: Fault = "none";
  let swallowedBytes = 0;
  let onCommit: ((disconnect: () => void) => void) | null = null;

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
      const callback = onCommit;
      // CommandComplete of a commit: 'C', its length, the tag.
      if (callback && chunk.includes("COMMIT\0")) {
        onCommit = null;
        callback(() => client.resetAndDestroy());
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
    onceCommitted(callback) {
      onCommit = callback;
    },
  };
}
