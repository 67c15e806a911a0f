import type { Socket } from "node:net";
import type pg from "pg";

/**
 * Settings of connections that groups write on. Their statements do the same work whatever they
 * are given: planned once for a connection, they are not planned again for each group.
 */
export function planningOnce(config: pg.ClientConfig): pg.ClientConfig {
  return { ...config, options: `${config.options} -c plan_cache_mode=force_generic_plan` };
}

/** The socket of a connection: held back (corked), several statements leave in one write. */
export function streamOf(client: pg.ClientBase): Socket {
  return (client as unknown as { connection: { stream: Socket } }).connection.stream;
}
