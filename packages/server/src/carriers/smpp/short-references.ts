import { crc32 } from "node:zlib";
import type { Base } from "../../base.ts";
import { countReferences, findReference, keepReference } from "./references-sql.ts";

const REFERENCES = 0x10000;
/** As long as receipts are waited for. */
const KEPT_MS = 72 * 3_600_000;

/**
 * user_message_reference has 16 bits, our own reference of an attempt many more: the short one is made
 * of the long one. Which stands for which is known here while the submit is out, and is stored once
 * its answer is lost, or by whoever takes the bind over from a process that died: the receipt may
 * come on another bind, to another process, after a restart.
 */
export class ShortReferences {
  readonly #deps: Pick<Base, "db" | "clock">;
  readonly #carrier: string;
  readonly #out = new Map<number, string>();
  /** Whether any is stored: without one, no receipt needs the database. */
  #isAnyKept: boolean = true;

  constructor(deps: Pick<Base, "db" | "clock">, carrier: string) {
    this.#deps = deps;
    this.#carrier = carrier;
  }

  take(count: number, ourReference: string): number[] {
    return Array.from({ length: count }, (_, part) => {
      let short = shortOf(ourReference, part);
      while (this.#out.has(short) && this.#out.size < REFERENCES) short = (short + 1) % REFERENCES;
      this.#out.set(short, ourReference);
      return short;
    });
  }

  /** They were answered: the carrier's own ids count from now on. */
  release(references: readonly number[]): void {
    for (const reference of references) this.#out.delete(reference);
  }

  /** Their answer was lost. */
  async keep(references: readonly number[], ourReference: string): Promise<void> {
    const now = new Date(this.#deps.clock.now());
    this.#isAnyKept = true;
    await this.#deps.db
      .query(keepReference, [this.#carrier, references, ourReference, now])
      // Without the database they are known to this process only.
      .then(() => this.release(references))
      .catch(() => {});
  }

  /** What a process that died had out. */
  async recover(ourReferences: readonly string[]): Promise<void> {
    for (const ourReference of ourReferences) {
      await this.keep([shortOf(ourReference, 0)], ourReference);
    }
  }

  async find(reference: number): Promise<string | null> {
    const known = this.#out.get(reference);
    if (known !== undefined || !this.#isAnyKept) return known ?? null;
    const values = [this.#carrier, reference, this.#since()];
    const [row] = await this.#deps.db.query<{ our_reference: string }>(findReference, values);
    return row?.our_reference ?? null;
  }

  async refresh(): Promise<void> {
    const values = [this.#carrier, this.#since()];
    const [row] = await this.#deps.db.query<{ kept: number }>(countReferences, values);
    this.#isAnyKept = (row?.kept ?? 0) > 0;
  }

  #since(): Date {
    return new Date(this.#deps.clock.now() - KEPT_MS);
  }
}

function shortOf(ourReference: string, part: number): number {
  return crc32(`${ourReference} ${part}`) % REFERENCES;
}
