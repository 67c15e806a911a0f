import { crc32 } from "node:zlib";
import type { Base } from "../../../core/base.ts";
import type { Queryable } from "../../../core/db/driver/database.ts";
import { deleteOldReferences, findReferences, storeReference } from "./references-sql.ts";

const REFERENCES = 0x10000;
/** Retention of lost references: as long as a message waits for receipts. */
const RETENTION_MS = 72 * 3_600_000;
/**
 * Longest delay between a receipt and the loss of its submit's answer: a receipt on another bind
 * may arrive first.
 */
const LOST_AFTER_RECEIPT_MS_MAX = 300_000;
/** Candidates per short reference, latest first. */
const CANDIDATES_PER_REFERENCE_MAX = 16;

/**
 * Maps 16-bit user_message_reference values to our-references. The value is a hash of
 * our-reference.
 *
 * The mapping is in memory while the submit is outstanding. It is stored once the answer is lost,
 * or when another process takes the bind over from a crashed owner: the receipt may come on another
 * bind, to another process, after a restart.
 */
export class ShortReferences {
  readonly #deps: Pick<Base, "db" | "clock">;
  readonly #carrier: string;
  /** Null for a part: its receipt says nothing about the parts that have not left. */
  readonly #outstanding = new Map<number, string | null>();

  constructor(deps: Pick<Base, "db" | "clock">, carrier: string) {
    this.#deps = deps;
    this.#carrier = carrier;
  }

  take(count: number, ourReference: string): number[] {
    return Array.from({ length: count }, (_, part) => {
      let short = shortOf(ourReference, part);
      while (this.#outstanding.has(short) && this.#outstanding.size < REFERENCES)
        short = (short + 1) % REFERENCES;
      this.#outstanding.set(short, count === 1 ? ourReference : null);
      return short;
    });
  }

  /** Forgets references of answered submits: the carrier's own ids count from now on. */
  release(references: readonly number[]): void {
    for (const reference of references) this.#outstanding.delete(reference);
  }

  /** Stores references of submits whose answer was lost. */
  async storeLost(references: readonly number[], ourReference: string): Promise<void> {
    const now = new Date(this.#deps.clock.now());
    await this.#deps.db
      .query(storeReference, [this.#carrier, references, ourReference, now])
      // Without the database, only this process knows them.
      .then(() => this.release(references))
      .catch(() => {});
  }

  /** Stores references of submits that were outstanding when their process crashed. */
  async recover(ourReferences: readonly string[]): Promise<void> {
    for (const ourReference of ourReferences) {
      await this.storeLost([shortOf(ourReference, 0)], ourReference);
    }
  }

  /**
   * The outstanding submit of a whole message with this reference. An earlier submit may have had the
   * same one.
   */
  find(reference: number): string | null {
    return this.#outstanding.get(reference) ?? null;
  }

  async forgetOld(): Promise<void> {
    const since = new Date(this.#deps.clock.now() - RETENTION_MS);
    await this.#deps.db.query(deleteOldReferences, [this.#carrier, since]);
  }
}

/** A receipt that echoed a short reference. */
export interface EchoedReference {
  readonly carrier: string;
  readonly reference: number;
  readonly receivedAt: number;
}

/**
 * Our-references of lost submits that each receipt may refer to, latest first. One query for all
 * carriers.
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
    RETENTION_MS,
    LOST_AFTER_RECEIPT_MS_MAX,
    CANDIDATES_PER_REFERENCE_MAX,
  ]);
  for (const row of rows) found[row.position - 1]?.push(row.our_reference);
  return found;
}

function shortOf(ourReference: string, part: number): number {
  return crc32(`${ourReference} ${part}`) % REFERENCES;
}
