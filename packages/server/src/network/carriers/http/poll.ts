import { createHash } from "node:crypto";
import { Problem } from "@longwave/contract";
import type { Base } from "../../../core/base.ts";
import type { Outgoing } from "../../../core/platform/outgoing/index.ts";
import type { CallbackKind, InboundMessage, ReadableCallback, Receipt } from "../carrier.ts";
import type { Kept } from "../kept-callbacks.ts";
import type { Authorizer } from "./auth.ts";
import type { InboundPaths, ReceiptPaths } from "./callbacks-config.ts";
import type { PolledList, PollOptions } from "./poll-config.ts";
import { readPage } from "./poll-page.ts";
import { findPoll, type PollRow, savePoll } from "./poll-sql.ts";

/** Pages of one round; a longer list continues in the next round. */
const PAGES_PER_ROUND = 50;
/** Items remembered as stored, so that a list is not stored again in every round. */
const SEEN_MAX = 20_000;
const ERROR_CHARS_MAX = 300;

type List = PolledList<ReceiptPaths> | PolledList<InboundPaths>;
type Items = readonly (Receipt | InboundMessage)[];

export interface PollerOptions {
  readonly carrier: string;
  readonly polling: PollOptions;
  readonly outgoing: Outgoing;
  readonly authorizer: Authorizer;
  /** Headers of every request, beside the authorization. */
  readonly headers: readonly string[];
  /** Reads one item of a list. Throws a Problem where it cannot be read. */
  read(contents: ReadableCallback): Items;
  store(kind: CallbackKind, items: Items): Promise<void>;
  /** Keeps items that cannot be read, for a reading after a change of the declaration. */
  keep(kept: readonly Kept[]): Promise<void>;
}

type Deps = Pick<Base, "db" | "clock" | "log">;

/** A round of reading a list: its begin, and the page that is next. */
interface Round {
  readonly sinceMs: number;
  readonly beganMs: number;
  page: string | null;
}

/**
 * Reads a carrier's lists of receipts and inbound messages, for servers that the carrier cannot
 * call. One process polls at a time. Everything is stored before the progress is, so a crash reads
 * some items twice; repeated items have no effect.
 */
export class Poller {
  readonly #deps: Deps;
  readonly #options: PollerOptions;
  readonly #stopping = new AbortController();
  readonly #seen = new Set<string>();
  readonly #errors = new Map<CallbackKind, string>();
  #nextAtMs = 0;
  #polling: Promise<void> | null = null;

  constructor(deps: Deps, options: PollerOptions) {
    this.#deps = deps;
    this.#options = options;
  }

  /** Begins to poll when it is due; resolves when the lists are read. */
  tick(): Promise<void> | null {
    const nowMs = this.#deps.clock.monotonic();
    const isDue = this.#polling === null && nowMs >= this.#nextAtMs;
    if (!isDue || this.#stopping.signal.aborted) return this.#polling;
    this.#nextAtMs = nowMs + this.#options.polling.everyMs;
    this.#polling = this.#pollAll().finally(() => {
      this.#polling = null;
    });
    return this.#polling;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#polling;
  }

  async #pollAll(): Promise<void> {
    const { receipts, inbound } = this.#options.polling;
    if (receipts !== null) await this.#poll("receipts", receipts);
    if (inbound !== null) await this.#poll("inbound", inbound);
  }

  async #poll(kind: CallbackKind, list: List): Promise<void> {
    const { carrier } = this.#options;
    try {
      const error = await this.#readRound(kind, list);
      if (error !== null && this.#errors.get(kind) !== error) {
        this.#deps.log.warn({ carrier, kind, reason: error }, "carriers: poll failed");
      }
      if (error === null) this.#errors.delete(kind);
      else this.#errors.set(kind, error);
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      this.#deps.log.warn({ err: error, carrier, kind }, "carriers: poll not stored");
    }
  }

  /** Reads pages until the list ends; the reason where it cannot be read. */
  async #readRound(kind: CallbackKind, list: List): Promise<string | null> {
    const { db, clock } = this.#deps;
    const { carrier } = this.#options;
    const [row = null] = await db.query<PollRow>(findPoll, [carrier, kind]);
    const round = roundOf(kind, list, row, clock.realNow());
    let completeMs = row?.complete_until ?? null;
    const save = (error: string | null) => {
      const isOpen = round.page !== null;
      return db.query(savePoll, [
        carrier,
        kind,
        round.page,
        isOpen ? new Date(round.sinceMs) : null,
        isOpen ? new Date(round.beganMs) : null,
        completeMs === null ? null : new Date(completeMs),
        new Date(clock.now()),
        error?.slice(0, ERROR_CHARS_MAX) ?? null,
      ]);
    };
    for (let pages = 0; pages < PAGES_PER_ROUND; pages += 1) {
      const result = await this.#fetch(list, round);
      if (this.#stopping.signal.aborted) return null;
      if ("error" in result) {
        // A page's address may have expired: the next round begins with the first one.
        if (result.isRefused) round.page = null;
        await save(result.error);
        return result.error;
      }
      await this.#storeNew(kind, result.items);
      round.page = result.next;
      if (round.page === null) completeMs = round.beganMs;
      await save(null);
      if (round.page === null) return null;
    }
    return null;
  }

  async #fetch(list: List, round: Round): ReturnType<typeof readPage> {
    const { authorizer, outgoing, headers } = this.#options;
    const signal = this.#stopping.signal;
    if (authorizer.value() === undefined) {
      const problem = await authorizer.prepare();
      if (problem) return { error: problem.problem, isRefused: false };
    }
    const authorization = authorizer.value() ?? null;
    const all = authorization === null ? headers : [...headers, "authorization", authorization];
    const result = await readPage({ outgoing, signal, headers: all }, list, round);
    if ("status" in result && result.status === 401) authorizer.renew();
    return result;
  }

  /** Stores items that have changed since they were last seen. */
  async #storeNew(kind: CallbackKind, items: readonly unknown[]): Promise<void> {
    const { carrier, read, store, keep } = this.#options;
    const fresh: [digest: string, item: unknown][] = items
      .map((item) => [digestOf(kind, item), item] as [string, unknown])
      .filter(([digest]) => !this.#seen.has(digest));
    const stored: (Receipt | InboundMessage)[] = [];
    const unread: Kept[] = [];
    for (const [, item] of fresh) {
      const contents = contentsOf(kind, item);
      try {
        stored.push(...read(contents));
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        unread.push({ ...contents, carrier, reason: error.message });
      }
    }
    if (stored.length > 0) await store(kind, stored);
    if (unread.length > 0) {
      const { reason } = unread[0] as Kept;
      const facts = { carrier, kind, items: unread.length, reason };
      this.#deps.log.warn(facts, "carriers: polled items unreadable");
      await keep(unread);
    }
    for (const [digest] of fresh) this.#seen.add(digest);
    for (const digest of this.#seen) {
      if (this.#seen.size <= SEEN_MAX) break;
      this.#seen.delete(digest);
    }
  }
}

function contentsOf(kind: CallbackKind, item: unknown): ReadableCallback {
  const body = Buffer.from(JSON.stringify(item));
  return { kind, query: "", contentType: "application/json", body, isItem: true };
}

/** The unfinished round, or a new one. */
function roundOf(kind: CallbackKind, list: List, row: PollRow | null, nowMs: number): Round {
  if (row !== null && row.page !== null && row.round_since !== null && row.round_began !== null) {
    return { sinceMs: row.round_since, beganMs: row.round_began, page: row.page };
  }
  // A sent message's status changes later; an inbound message is listed once.
  const untilMs = kind === "inbound" ? (row?.complete_until ?? nowMs) : nowMs;
  return { sinceMs: untilMs - list.backMs, beganMs: nowMs, page: null };
}

function digestOf(kind: CallbackKind, item: unknown): string {
  return createHash("sha256")
    .update(JSON.stringify([kind, item]))
    .digest("base64");
}
