import type { Sender } from "../../network/numbers/index.ts";
import type { MessageRow } from "../messages/index.ts";
import type { OutboundDeps } from "./deps.ts";
import { pacedOf } from "./prepare.ts";

/** Paces the due messages of one chunk. Messages behind one that must wait wait one after the other. */
export class ChunkPace {
  readonly #deps: Pick<OutboundDeps, "registrationPace">;
  /** Time for the next waiting message of a registration. */
  readonly #nextAtMs = new Map<string, number>();

  constructor(deps: Pick<OutboundDeps, "registrationPace">) {
    this.#deps = deps;
  }

  /** Time at which the message may ask again; null if it leaves now. */
  async freeAt(row: MessageRow, sender: Sender | null): Promise<number | null> {
    const id = sender?.registration_id ?? null;
    if (id === null || row.from_service || row.mode === "test") return null;
    const account = { id: row.account_id, shard: row.shard };
    const paced = pacedOf(row);
    const behindMs = paced.waits ? this.#nextAtMs.get(id) : undefined;
    const freeAtMs = behindMs ?? (await this.#deps.registrationPace.take(account, id, paced));
    if (freeAtMs === null) return null;
    const rate = await this.#deps.registrationPace.ratePerSecond(account, id);
    const busyMs = rate === null ? 0 : Math.ceil((row.segments * 1_000) / rate);
    this.#nextAtMs.set(id, freeAtMs + busyMs);
    return freeAtMs;
  }
}
