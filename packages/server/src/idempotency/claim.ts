import { createHash } from "node:crypto";
import { IDEMPOTENCY_KEY_CHARS_MAX, Problem } from "@longwave/contract";

/** Whose keys they are: test and live of one account do not see each other's. */
export interface ClaimOwner {
  readonly shard: number;
  readonly accountId: string;
  readonly mode: string;
}

/** The operator's keys live beside the accounts', under an account that cannot exist. */
export const OPERATOR_OWNER: ClaimOwner = {
  shard: 0,
  accountId: "00000000-0000-0000-0000-000000000000",
  mode: "operator",
};
/** What a request's Idempotency-Key claims: one piece of work of one caller. */
export interface IdempotencyClaim extends ClaimOwner {
  readonly keyHash: Buffer;
  readonly fingerprint: Buffer;
  readonly encrypted: boolean;
}

/** What the header of one request claims; null without one. */
export function claimOf(
  key: string | string[] | undefined,
  owner: ClaimOwner,
  work: { readonly method: string; readonly path: string; readonly body: unknown },
  encrypted: boolean,
): IdempotencyClaim | null {
  if (key === undefined) return null;
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
  return {
    ...owner,
    keyHash: createHash("sha256").update(key).digest(),
    fingerprint: createHash("sha256")
      .update(`${work.method}\n${work.path}\n${canonicalJson(work.body)}`)
      .digest(),
    encrypted,
  };
}

/** JSON with sorted keys, so that key order makes no difference. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`).join(",")}}`;
  }
  return value === undefined ? "null" : JSON.stringify(value);
}
