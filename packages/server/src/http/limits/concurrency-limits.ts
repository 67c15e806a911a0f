import type { Socket } from "node:net";
import { PAGE_ITEMS_MAX, type RouteSpec } from "@longwave/contract";
import { KeyedLimiter } from "../../core/platform/keyed-limiter.ts";
import type { Caller } from "../api/caller.ts";
import { brokeOff } from "../body/read-body.ts";
import type { Exchange } from "../exchange/exchange.ts";

/**
 * Kinds of calls limited per account (all operators count as one): calls heavy for the database, pages of lists (heavy
 * for the process), and streams.
 */
export type LimitKind = "heavy" | "alone" | "list" | "long_list" | "stream";

/** Concurrent calls of one account per kind, in each process. */
const CONCURRENT_CALLS_MAX: Readonly<Record<LimitKind, number>> = {
  heavy: 2,
  alone: 1,
  list: 4,
  long_list: 1,
  stream: 2,
};
/**
 * Time in ms that an answer keeps its slot while its client does not read it; a stream keeps the slot until it ends.
 */
const UNREAD_MS_MAX = 2_000;

interface ListQuery {
  readonly properties?: { readonly limit?: { readonly maximum: number } };
}

export function limitKindOf({ heavy, streams, query }: RouteSpec): LimitKind | null {
  if (streams !== undefined) return "stream";
  if (heavy !== undefined) return heavy === true ? "heavy" : heavy;
  const { limit } = ((query ?? {}) as ListQuery).properties ?? {};
  if (limit === undefined) return null;
  return limit.maximum > PAGE_ITEMS_MAX ? "long_list" : "list";
}

/** Runs a call in a slot of the key, which stays taken until the last byte of the answer has left. */
export type WithinLimit = <T>(
  route: { readonly limitKind: LimitKind | null },
  exchange: Exchange,
  key: string,
  work: () => Promise<T>,
) => Promise<T>;

/** Key of a caller: the account, or one key for all operators. */
export function limitKeyOf(caller: Caller): string {
  return caller.kind === "operator" ? "operator" : caller.account.id;
}

export function createConcurrencyLimits(unreadMsMax = UNREAD_MS_MAX): WithinLimit {
  const limiters = Object.fromEntries(
    Object.entries(CONCURRENT_CALLS_MAX).map(([kind, concurrency]) => [
      kind,
      new KeyedLimiter({ concurrency }),
    ]),
  ) as Record<LimitKind, KeyedLimiter>;
  return async ({ limitKind }, exchange, key, work) => {
    if (limitKind === null) return work();
    const release = await limiters[limitKind].acquire(key);
    let timer: NodeJS.Timeout | undefined;
    let isReleased = false;
    const releaseOnce = () => {
      if (isReleased) return;
      isReleased = true;
      clearTimeout(timer);
      forget();
      release();
    };
    exchange.response.once("close", releaseOnce);
    // An answer queued behind others gets no event when its socket closes.
    const forget = onClose(exchange.request.socket, releaseOnce);
    try {
      checkConnected(exchange);
      return await work();
    } finally {
      // An answer may also wait for others of its socket, which may themselves wait for a slot of the same kind.
      if (limitKind !== "stream" && !isReleased) {
        timer = setTimeout(releaseOnce, unreadMsMax).unref();
      }
    }
  };
}

/** Refuses a call whose client disconnected while the call waited. */
export function checkConnected({ request }: Pick<Exchange, "request">): void {
  if (request.socket.destroyed) throw brokeOff();
}

/** Calls back when the socket closes; returns the function that removes the listener. */
export function onClose(socket: Socket, listener: () => void): () => void {
  socket.once("close", listener);
  // Destroyed before a listener was attached: no event will come.
  if (socket.destroyed) queueMicrotask(listener);
  return () => socket.off("close", listener);
}
