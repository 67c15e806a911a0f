import type { Socket } from "node:net";
import { PAGE_ITEMS_MAX, type RouteSpec } from "@longwave/contract";
import type { Caller } from "../api/caller.ts";
import { createTurns, type Turns } from "../platform/turns.ts";
import type { Exchange } from "./exchange.ts";
import { brokeOff } from "./read-body.ts";

/**
 * Calls that take turns with those of the same kind and account (or operator): what is much work for the database,
 * pages of lists, which are much work for the process, and streams.
 */
export type TurnKind = "heavy" | "alone" | "list" | "long_list" | "stream";

/** Calls of each kind, of one account, that a process has in hand at a time. */
const IN_HAND_MAX: Readonly<Record<TurnKind, number>> = {
  heavy: 2,
  alone: 1,
  list: 4,
  long_list: 1,
  stream: 2,
};
/** How long an answer that its client does not take keeps its turn; a stream keeps it to its end. */
const UNREAD_MS_MAX = 2_000;

interface ListQuery {
  readonly properties?: { readonly limit?: { readonly maximum: number } };
}

export function turnKindOf({ heavy, streams, query }: RouteSpec): TurnKind | null {
  if (streams !== undefined) return "stream";
  if (heavy !== undefined) return heavy === true ? "heavy" : heavy;
  const { limit } = ((query ?? {}) as ListQuery).properties ?? {};
  if (limit === undefined) return null;
  return limit.maximum > PAGE_ITEMS_MAX ? "long_list" : "list";
}

/** Does the work of a call in the holder's turn, which it has until the last byte of the answer has left. */
export type InTurn = <T>(
  route: { readonly turnKind: TurnKind | null },
  exchange: Exchange,
  holder: string,
  work: () => Promise<T>,
) => Promise<T>;

/** In whose turn a call is done: those of all operators wait for each other. */
export function turnHolderOf(caller: Caller): string {
  return caller.kind === "operator" ? "operator" : caller.account.id;
}

export function createInTurn(unreadMsMax = UNREAD_MS_MAX): InTurn {
  const turns: Readonly<Record<TurnKind, Turns>> = {
    heavy: createTurns(IN_HAND_MAX.heavy),
    alone: createTurns(IN_HAND_MAX.alone),
    list: createTurns(IN_HAND_MAX.list),
    long_list: createTurns(IN_HAND_MAX.long_list),
    stream: createTurns(IN_HAND_MAX.stream),
  };
  return async ({ turnKind }, exchange, holder, work) => {
    if (turnKind === null) return work();
    const giveBack = await turns[turnKind].take(holder);
    let timer: NodeJS.Timeout | undefined;
    let isGivenBack = false;
    const giveBackOnce = () => {
      if (isGivenBack) return;
      isGivenBack = true;
      clearTimeout(timer);
      forget();
      giveBack();
    };
    exchange.response.once("close", giveBackOnce);
    // An answer that waits behind others does not hear that its socket is gone.
    const forget = onClose(exchange.request.socket, giveBackOnce);
    try {
      checkThere(exchange);
      return await work();
    } finally {
      // An answer may also wait for others of its socket, and those for a turn of the same kind.
      if (turnKind !== "stream" && !isGivenBack) {
        timer = setTimeout(giveBackOnce, unreadMsMax).unref();
      }
    }
  };
}

/** Refuses a call whose client went away while it waited: nothing is done for nobody. */
export function checkThere({ request }: Pick<Exchange, "request">): void {
  if (request.socket.destroyed) throw brokeOff();
}

/** Calls back when the socket is gone; answers how to call that off. */
export function onClose(socket: Socket, hear: () => void): () => void {
  socket.once("close", hear);
  // Gone before anybody listened: the event will not come again.
  if (socket.destroyed) queueMicrotask(hear);
  return () => socket.off("close", hear);
}
