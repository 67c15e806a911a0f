import { NotAFrame } from "./frames.ts";

/** First frame of both sides. Processes of different builds do not exchange items. */
export interface Hello {
  readonly hello: string;
}

/** `id` is unique on its connection. */
export type Request = readonly [id: number, kind: string, item: unknown];
/** Items of one tick. */
export interface Requests {
  readonly requests: readonly Request[];
}

/** `error` is null unless the item failed. */
export type Reply = readonly [id: number, result: unknown, error: unknown];
export interface Replies {
  readonly replies: readonly Reply[];
}

/** The owner is stopping: it answers what it has, and takes nothing new. */
export interface Bye {
  readonly bye: true;
}

const PROTOCOL = "longwave-peers/1";

export function helloOf(build: string): Hello {
  return { hello: `${PROTOCOL} ${build}` };
}

export function requireHello(frame: unknown, build: string): void {
  const { hello } = (frame ?? {}) as Partial<Hello>;
  if (hello !== helloOf(build).hello) throw new NotAFrame("The peer is of another build.");
}

export function readRequests(frame: unknown): readonly Request[] {
  const { requests } = (frame ?? {}) as Partial<Requests>;
  const isValid =
    Array.isArray(requests) &&
    requests.every(
      (one) => Array.isArray(one) && Number.isInteger(one[0]) && typeof one[1] === "string",
    );
  if (!isValid) throw new NotAFrame("A frame holds no requests.");
  return requests;
}

/** Returns null for a `bye`. */
export function readReplies(frame: unknown): readonly Reply[] | null {
  const { replies, bye } = (frame ?? {}) as Partial<Replies & Bye>;
  if (bye === true) return null;
  const isValid =
    Array.isArray(replies) &&
    replies.every((one) => Array.isArray(one) && Number.isInteger(one[0]) && one.length === 3);
  if (!isValid) throw new NotAFrame("A frame holds no replies.");
  return replies;
}
