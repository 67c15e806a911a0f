/** Attacks from a process of its own, so that whoever measures is not held up. */
import { setMaxListeners } from "node:events";
import type { Target, Visit } from "./flood.ts";
import { ATTACKS } from "./list.ts";

/** What the harness says: begin this attack, or call it off. */
export interface Order {
  readonly name: string | null;
  readonly url: string;
  readonly keys: readonly string[];
  readonly trapUrl: string;
  readonly visit: Visit;
}

/** What the harness hears once an attack is called off: how often each status was met. */
export type Met = Readonly<Record<number, number>>;

let calledOff = new AbortController();
let attacking: Promise<void> = Promise.resolve();
let met: Record<number, number> = {};

process.on("message", async ({ name, ...order }: Order) => {
  if (name === null) {
    calledOff.abort();
    await attacking;
    process.send?.(met satisfies Met);
    return;
  }
  const attack = ATTACKS.find((one) => one.name === name);
  if (!attack) throw new Error(`There is no attack ${name}.`);
  calledOff = new AbortController();
  setMaxListeners(0, calledOff.signal);
  const { signal } = calledOff;
  met = {};
  const seen = met;
  const target: Target = {
    ...order,
    key: order.keys[0] ?? "",
    signal,
    met: (status) => {
      seen[status] = (seen[status] ?? 0) + 1;
    },
  };
  attacking = attack.run(target);
  process.send?.("begun");
});
process.once("disconnect", () => process.exit(0));
process.send?.("ready");
