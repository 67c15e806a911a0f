/** Attacks from a process of its own, so that whoever measures is not held up. */
import { setMaxListeners } from "node:events";
import { ATTACKS } from "./list.ts";
import type { Target } from "./socket.ts";

/** What the harness says: begin this attack, or call it off. */
export interface Order {
  readonly name: string | null;
  readonly url: string;
  readonly keys: readonly string[];
  readonly trapUrl: string;
}

let calledOff = new AbortController();
let attacking: Promise<void> = Promise.resolve();

process.on("message", async ({ name, url, keys, trapUrl }: Order) => {
  if (name === null) {
    calledOff.abort();
    await attacking;
    process.send?.("ended");
    return;
  }
  const attack = ATTACKS.find((one) => one.name === name);
  if (!attack) throw new Error(`There is no attack ${name}.`);
  calledOff = new AbortController();
  setMaxListeners(0, calledOff.signal);
  const { signal } = calledOff;
  const target: Target = { url, keys, key: keys[0] ?? "", trapUrl, signal };
  attacking = attack.run(target);
  process.send?.("begun");
});
process.once("disconnect", () => process.exit(0));
process.send?.("ready");
