import { createHash } from "node:crypto";
import { IDEMPOTENCY_KEY_CHARS_MAX, Problem } from "@longwave/contract";
import { yieldToEventLoop } from "../../core/platform/clock.ts";

const PART_CHARS = 64 * 1024;
/** Depth of list items: body, list, item. */
const DEPTH_OF_ITEMS = 2;

/** Owner of claims: test and live mode of one account have separate keys. */
export interface ClaimOwner {
  readonly shard: number;
  readonly accountId: string;
  readonly mode: string;
}

/** Claims of the operator token, under an account id that cannot exist. */
export const OPERATOR_OWNER: ClaimOwner = {
  shard: 0,
  accountId: "00000000-0000-0000-0000-000000000000",
  mode: "operator",
};

/**
 * Claims of calls to operator routes. Console users have keys of their own: an account's admin manages
 * the account's keys through operator routes and must not block a key of the operator.
 */
export function operatorOwner(userId: string | undefined): ClaimOwner {
  return userId === undefined ? OPERATOR_OWNER : { ...OPERATOR_OWNER, accountId: userId };
}

/** Claim of a request's Idempotency-Key: one piece of work of one caller. */
export interface IdempotencyClaim extends ClaimOwner {
  readonly keyHash: Buffer;
  readonly fingerprint: Buffer;
  readonly encrypted: boolean;
}

/** Input of a request's fingerprint. */
export interface ClaimedWork {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  /** The body is too large to hash in one step of the event loop. */
  readonly isLarge: boolean;
}

/** Claim named by the header of one request. */
export function claimOf(
  key: string | string[],
  owner: ClaimOwner,
  work: ClaimedWork,
  encrypted: boolean,
): IdempotencyClaim | Promise<IdempotencyClaim> {
  if (
    typeof key !== "string" ||
    key.length === 0 ||
    key.length > IDEMPOTENCY_KEY_CHARS_MAX ||
    !/^[\x20-\x7e]+$/.test(key)
  ) {
    throw new Problem(
      "invalid_request",
      `Idempotency-Key takes 1 to ${IDEMPOTENCY_KEY_CHARS_MAX} printable ASCII characters.`,
      { param: "Idempotency-Key" },
    );
  }
  const keyHash = createHash("sha256").update(key).digest();
  const claim = { ...owner, keyHash, encrypted };
  if (work.isLarge) {
    return fingerprintInParts(work).then((fingerprint) => ({ ...claim, fingerprint }));
  }
  const text = `${work.method}\n${work.path}\n${canonicalJson(work.body)}`;
  return { ...claim, fingerprint: createHash("sha256").update(text).digest() };
}

/** The same hash, with a yield to the event loop after a fixed number of characters. */
async function fingerprintInParts({ method, path, body }: ClaimedWork): Promise<Buffer> {
  const hash = createHash("sha256").update(`${method}\n${path}\n`);
  let text = "";
  for (const part of canonicalParts(body, 0)) {
    text += part;
    if (text.length < PART_CHARS) continue;
    hash.update(text);
    text = "";
    await yieldToEventLoop();
  }
  return hash.update(text).digest();
}

/** Canonical JSON piece by piece, down to the items of lists. */
function* canonicalParts(value: unknown, depth: number): Generator<string> {
  if (depth === DEPTH_OF_ITEMS || typeof value !== "object" || value === null) {
    yield canonicalJson(value);
    return;
  }
  const isArray = Array.isArray(value);
  const entries: [string, unknown][] = isArray
    ? value.map((item) => ["", item])
    : sortedEntries(value).map(([key, item]) => [`${JSON.stringify(key)}:`, item]);
  yield isArray ? "[" : "{";
  for (const [index, [name, item]] of entries.entries()) {
    yield index === 0 ? name : `,${name}`;
    yield* canonicalParts(item, depth + 1);
  }
  yield isArray ? "]" : "}";
}

function sortedEntries(value: object): [string, unknown][] {
  return Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
}

/** JSON with sorted keys: key order makes no difference. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value === "object" && value !== null) {
    const entries = sortedEntries(value);
    return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`).join(",")}}`;
  }
  return value === undefined ? "null" : JSON.stringify(value);
}
