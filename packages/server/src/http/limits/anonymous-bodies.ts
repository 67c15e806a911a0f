import type { IncomingMessage } from "node:http";
import { Problem } from "@longwave/contract";
import { readBody } from "../body/read-body.ts";
import { networkOf } from "../exchange/client-address.ts";

/** A network's share of all bodies. */
const NETWORK_PART = 4;
/** Clients that authenticate by their body send it at once. */
const DEADLINE_MS = 5_000;
const RETRY_AFTER = { headers: { "retry-after": "1" } };

/**
 * Reads bodies before their client is known: forms to sign in with, callbacks whose signature covers the body. A body
 * has a deadline. When memory is used up, in all or by one network, the body that has been arriving the longest gives
 * way: withheld bodies keep nobody else's out.
 */
export interface AnonymousBodies {
  /** Body of one request. The caller must release it in every outcome. */
  open(client: AnonymousClient): AnonymousBody;
}

export interface AnonymousBody {
  read(bytesMax: number): Promise<Buffer>;
  /** Gives the memory back; further calls do nothing. */
  release(): void;
}

interface AnonymousClient {
  readonly request: IncomingMessage;
  readonly ip: string;
}

/** A body that has not arrived whole. */
interface Arriving {
  readonly network: string;
  bytes: number;
  giveWay(): void;
}

export function createAnonymousBodies(
  bytesInAllMax: number,
  deadlineMs = DEADLINE_MS,
): AnonymousBodies {
  const memory = new AnonymousMemory(bytesInAllMax);
  return {
    open({ request, ip }) {
      const stop = new AbortController();
      const own: Arriving = {
        network: networkOf(ip),
        bytes: 0,
        giveWay: () => stop.abort(gaveWay()),
      };
      const take = (bytes: number) => memory.take(own, bytes);
      return {
        async read(bytesMax) {
          const timer = setTimeout(() => stop.abort(late(deadlineMs)), deadlineMs).unref();
          memory.arriving.add(own);
          try {
            return await readBody(request, bytesMax, { take }, stop.signal);
          } finally {
            clearTimeout(timer);
            memory.arriving.delete(own);
          }
        },
        release: () => memory.release(own),
      };
    },
  };
}

class AnonymousMemory {
  /** In the order in which reading began. */
  readonly arriving = new Set<Arriving>();
  readonly #bytesMax: number;
  readonly #bytesByNetwork = new Map<string, number>();
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  take(own: Arriving, bytes: number): void {
    const { network } = own;
    const ofNetwork = () => this.#bytesByNetwork.get(network) ?? 0;
    const networkBytesMax = Math.floor(this.#bytesMax / NETWORK_PART);
    for (const other of this.arriving) {
      const isNetworkFull = ofNetwork() + bytes > networkBytesMax;
      if (!isNetworkFull && this.#bytes + bytes <= this.#bytesMax) break;
      if (other === own || other.bytes === 0) continue;
      if (isNetworkFull && other.network !== network) continue;
      this.arriving.delete(other);
      this.release(other);
      other.giveWay();
    }
    if (ofNetwork() + bytes > networkBytesMax) throw tooMuchAtOnce();
    if (this.#bytes + bytes > this.#bytesMax) throw unavailable();
    this.#change(own, bytes);
  }

  release(own: Arriving): void {
    this.#change(own, -own.bytes);
  }

  #change(own: Arriving, bytes: number): void {
    own.bytes += bytes;
    this.#bytes += bytes;
    const ofNetwork = (this.#bytesByNetwork.get(own.network) ?? 0) + bytes;
    if (ofNetwork === 0) this.#bytesByNetwork.delete(own.network);
    else this.#bytesByNetwork.set(own.network, ofNetwork);
  }
}

function late(deadlineMs: number): Problem {
  return new Problem(
    "request_timeout",
    `The body did not arrive within ${deadlineMs / 1_000} seconds. Send it at once.`,
  );
}

function gaveWay(): Problem {
  return new Problem(
    "unavailable",
    "The server is reading as much as it can, and this body was slow. Send it at once.",
    RETRY_AFTER,
  );
}

function tooMuchAtOnce(): Problem {
  return new Problem(
    "rate_limited",
    "Your network is sending too much at once. Send one body after the other.",
    RETRY_AFTER,
  );
}

function unavailable(): Problem {
  return new Problem(
    "unavailable",
    "The server is reading as much as it can. Try again in a moment.",
    RETRY_AFTER,
  );
}
