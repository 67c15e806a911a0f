import { setTimeout as sleep } from "node:timers/promises";
import { type Flood, flood, pipelined, type Target, wire } from "./flood.ts";

/** What one client can do at its worst without breaking a rule of the API. */
export interface Attack {
  readonly name: string;
  /** What it does, and what it did before there was a bound. */
  readonly what: string;
  /** What a server that has just started holds at most meanwhile; the first of the list meets one. */
  readonly peakMbMax?: number;
  /** It asks for what an account has that has been busy for days, which is made first: busy-account.ts. */
  readonly asksForPast?: true;
  /** Its harm was that one request held everybody up: `npm test` tries it, too. */
  readonly isShort?: true;
  /**
   * Statuses that are among its answers, if it reads any. One that is refused at the door attacks
   * nothing, and nobody would notice.
   */
  readonly meets: readonly number[];
  run(target: Target): Promise<void>;
}

/** A number of the attacker's own; stage.ts buys it. */
export const ATTACKER_NUMBER = "+14155550100";

/** What the console's page sends along, and no form of another site can. */
export const FROM_OUR_PAGE = { "sec-fetch-site": "same-origin", "longwave-console": "1" };
/** Of somebody who can sign in to the console. */
export const KNOWN_EMAIL = "ada@example.com";

/** Made once: the attack is what the server does with them. */
const memory = new Map<string, Buffer>();
export function remembered(name: string, make: () => Buffer): Buffer {
  const known = memory.get(name) ?? make();
  memory.set(name, known);
  return known;
}

/** Texts of its own, as fast as they are taken. */
export const sendTexts = (target: Target) =>
  flood(target, {
    connections: 8,
    bytes: ({ key }) =>
      pipelined(16, {
        method: "POST",
        path: "/v1/messages",
        key,
        body: JSON.stringify({ to: "+15005550000", from: ATTACKER_NUMBER, body: "Hello" }),
      }),
  });

/** The same large batch again and again. */
export const upload = (name: string, body: () => string) => (target: Target) =>
  flood(target, {
    connections: 4,
    bytes: ({ key }) =>
      remembered(name, () => wire({ method: "POST", path: "/v1/batches", key, body: body() })),
  });

/** The same on connections that are left after a moment, so many at a time. */
export async function comeAndGo(target: Target, times: number, how: Flood): Promise<void> {
  const again = async () => {
    while (!target.signal.aborted) {
      const brief = AbortSignal.any([target.signal, AbortSignal.timeout(30)]);
      await flood({ ...target, signal: brief }, how);
    }
  };
  await Promise.all(Array.from({ length: times }, again));
}

const CALL_TRIES_MAX = 20;
const CALL_AGAIN_MS = 250;

/** A call that must come through, although the account has no token left after an attack, and the server may be behind. */
export async function call({ url, key }: Target, method: string, path: string, body?: object) {
  for (let tries = 1; ; tries += 1) {
    const answer = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await answer.text();
    if (answer.ok) return JSON.parse(text) as { id: string };
    if (![429, 503].includes(answer.status) || tries === CALL_TRIES_MAX) {
      throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    }
    await sleep(CALL_AGAIN_MS);
  }
}
