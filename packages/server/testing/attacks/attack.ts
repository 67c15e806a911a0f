import { setTimeout as sleep } from "node:timers/promises";
import { type Flood, flood, pipelined, type Target, wire } from "./flood.ts";

/** The worst that one client can do within the rules of the API. */
export interface Attack {
  readonly name: string;
  /** Description of the attack and of its effect before there was a bound. */
  readonly what: string;
  /** Peak memory of a server that has just started; only the first attack in the list has one. */
  readonly peakMbMax?: number;
  /** Reads the history of a busy account, which busy-account.ts inserts first. */
  readonly needsBusyAccount?: true;
  /** One request blocked the event loop; `npm test` runs this attack, too. */
  readonly isShort?: true;
  /**
   * Statuses that the responses must include, if the attack reads any. An attack that authentication or a
   * limit rejects from the start would test nothing.
   */
  readonly meets: readonly number[];
  /** No other status may come: the responses that the attack reads are those of people it must not hurt. */
  readonly meetsOnly?: true;
  run(target: Target): Promise<void>;
}

/** The attacker's number; stage.ts buys it. */
export const ATTACKER_NUMBER = "+14155550100";

/** A phone of the attacker's own, which the operator entered. */
export const OWN_PHONE = "+14155550177";

/** Headers of requests from the console's page, which a form on another site cannot set. */
export const FROM_OUR_PAGE = { "sec-fetch-site": "same-origin", "longwave-console": "1" };
/** Email of a console user. */
export const KNOWN_EMAIL = "ada@example.com";
export const KNOWN_PASSWORD = "correct horse battery";

/** Buffers made once, so that the attacking process stays fast. */
const memory = new Map<string, Buffer>();
export function remembered(name: string, make: () => Buffer): Buffer {
  const known = memory.get(name) ?? make();
  memory.set(name, known);
  return known;
}

/** Sends messages of the attacker's account as fast as the server accepts them. */
export const sendMessages = (target: Target) =>
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

/** Uploads the same large batch repeatedly. */
export const upload = (name: string, body: () => string) => (target: Target) =>
  flood(target, {
    connections: 4,
    bytes: ({ key }) =>
      remembered(name, () => wire({ method: "POST", path: "/v1/batches", key, body: body() })),
  });

/** Floods over short-lived connections, `times` groups of them at once. */
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

/** A call that must succeed. Retries 429 and 503, because the attack may have used up the account's tokens. */
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
