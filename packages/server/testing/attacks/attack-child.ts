/** Runs attacks in a separate process, so that the process that measures is not slowed down. */
import { setMaxListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { Target, Visit } from "./flood.ts";
import { ATTACKS } from "./list.ts";

/** Message from the harness: start the named attack, or stop it (`name` is null). */
export interface Order {
  readonly name: string | null;
  readonly url: string;
  readonly keys: readonly string[];
  readonly hostileUrl: string;
  readonly visit: Visit;
}

/** Reply to a stop: count of responses per status. */
export type Met = Readonly<Record<number, number>>;

/** A short attack on a busy machine lasts at most so long, until it met what it should. */
const MEETS_WITHIN_MS = 30_000;

let stopped = new AbortController();
let attacking: Promise<void> = Promise.resolve();
let met: Record<number, number> = {};
let metAll: Promise<unknown> = Promise.resolve();

process.on("message", async ({ name, ...order }: Order) => {
  if (name === null) {
    await metAll;
    stopped.abort();
    await attacking;
    process.send?.(met satisfies Met);
    return;
  }
  const attack = ATTACKS.find((one) => one.name === name);
  if (!attack) throw new Error(`There is no attack ${name}.`);
  stopped = new AbortController();
  setMaxListeners(0, stopped.signal);
  const { signal } = stopped;
  met = {};
  const seen = met;
  const missing = new Set(attack.meets);
  let metLast = () => {};
  const last = new Promise<void>((resolve) => {
    metLast = resolve;
  });
  const target: Target = {
    ...order,
    key: order.keys[0] ?? "",
    signal,
    met: (status) => {
      seen[status] = (seen[status] ?? 0) + 1;
      missing.delete(status);
      if (missing.size === 0) metLast();
    },
  };
  if (missing.size === 0) metLast();
  metAll = Promise.race([last, sleep(MEETS_WITHIN_MS, null, { ref: false })]);
  attacking = attack.run(target);
  process.send?.("begun");
});
process.once("disconnect", () => process.exit(0));
process.send?.("ready");
