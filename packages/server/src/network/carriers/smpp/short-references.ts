import { crc32 } from "node:zlib";
import type { Base } from "../../base.ts";
import type { Queryable } from "../../db/database.ts";
import { findReferences, forgetReferences, keepReference } from "./references-sql.ts";

const REFERENCES = 0x10000;
/** As long as receipts are waited for. */
const KEPT_MS = 72 * 3_600_000;
/** An answer is waited for for so long at most: a receipt on another bind may come before it is given up. */
const LOST_AFTER_RECEIPT_MS_MAX = 300_000;
/** Of more texts that had the same one, the latest are looked at. */
const TEXTS_PER_REFERENCE_MAX = 16;

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

  /** Of a submit that is out here, whose answer may still come; one before it may have had the same. */
  find(reference: number): string | null {
    return this.#out.get(reference) ?? null;
  }

  async forgetOld(): Promise<void> {
    const since = new Date(this.#deps.clock.now() - KEPT_MS);
    await this.#deps.db.query(forgetReferences, [this.#carrier, since]);
  }
}

/** A receipt that brought a short reference back. */
export interface EchoedReference {
  readonly carrier: string;
  readonly reference: number;
  readonly receivedAt: number;
}

/**
 * What each of these may stand for, where answers were lost: the last one first. Of all carriers in one
 * question.
 */
export async function lostReferencesOf(
  db: Queryable,
  echoed: readonly EchoedReference[],
): Promise<string[][]> {
  const found: string[][] = echoed.map(() => []);
  if (echoed.length === 0) return found;
  const rows = await db.query<{ position: number; our_reference: string }>(findReferences, [
    echoed.map(({ carrier }) => carrier),
    echoed.map(({ reference }) => reference),
    echoed.map(({ receivedAt }) => new Date(receivedAt)),
    KEPT_MS,
    LOST_AFTER_RECEIPT_MS_MAX,
    TEXTS_PER_REFERENCE_MAX,
  ]);
  for (const row of rows) found[row.position - 1]?.push(row.our_reference);
  return found;
}

function shortOf(ourReference: string, part: number): number {
  return crc32(`${ourReference} ${part}`) % REFERENCES;
}
