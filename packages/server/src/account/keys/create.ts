import { createHash } from "node:crypto";
import {
  type ApiKey,
  BASE62_ALPHABET,
  formatTimestamp,
  KEY_PREFIXES,
  KEY_RANDOM_CHARS,
  keyChecksum,
  type Mode,
  Problem,
  type Scope,
} from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import { isUniqueViolation } from "../../core/db/driver/failures.ts";
import { toApiId } from "../../core/platform/ids.ts";
import type { Random } from "../../core/platform/random.ts";
import type { AccountRow } from "../accounts/index.ts";
import { insertKey } from "./sql.ts";

export interface KeyRow {
  readonly id: string;
  readonly account_id: string;
  readonly mode: Mode;
  readonly name: string | null;
  readonly scopes: Scope[] | null;
  readonly last4: string | null;
  readonly created_at: number;
  readonly last_used_at: number | null;
  readonly revoked_at: number | null;
  readonly expires_at: number | null;
  readonly allowed_ips: string[] | null;
}

interface NewKey {
  readonly expires_at?: number | null;
  readonly allowed_ips?: string[] | null;
  readonly mode: Mode;
  readonly name: string | null;
  readonly scopes: Scope[] | null;
  readonly sha256?: string;
}

/** Mints a key, or imports an older one by its hash. */
export async function createKey(
  deps: Base,
  tx: Tx,
  account: AccountRow,
  wanted: NewKey,
): Promise<ApiKey> {
  const minted = wanted.sha256 === undefined ? mintKey(deps.random, wanted.mode) : null;
  const sha256 = minted?.sha256 ?? Buffer.from(wanted.sha256 ?? "", "hex");
  const createdAtMs = deps.clock.now();
  const row: KeyRow = {
    id: deps.ids.makeAt(createdAtMs),
    account_id: account.id,
    mode: wanted.mode,
    name: wanted.name,
    scopes: wanted.scopes,
    last4: minted?.last4 ?? null,
    created_at: createdAtMs,
    last_used_at: null,
    revoked_at: null,
    expires_at: wanted.expires_at ?? null,
    allowed_ips: wanted.allowed_ips ?? null,
  };
  const values = [
    row.id,
    row.account_id,
    row.mode,
    row.name,
    row.scopes,
    sha256,
    row.last4,
    new Date(createdAtMs),
    row.expires_at === null ? null : new Date(row.expires_at),
    row.allowed_ips,
  ];
  try {
    await tx.query(insertKey, values);
  } catch (error) {
    throw isUniqueViolation(error) ? sha256Taken() : error;
  }
  return presentKey(row, minted?.key ?? null);
}

function sha256Taken(): Problem {
  return new Problem("already_exists", "A key with this SHA-256 exists already.", {
    param: "sha256",
  });
}

export function presentKey(row: KeyRow, key: string | null): ApiKey {
  return {
    id: toApiId("api_key", row.id),
    object: "api_key",
    key,
    mode: row.mode,
    name: row.name,
    scopes: row.scopes,
    last4: row.last4,
    created_at: formatTimestamp(row.created_at),
    last_used_at: row.last_used_at === null ? null : formatTimestamp(row.last_used_at),
    revoked_at: row.revoked_at === null ? null : formatTimestamp(row.revoked_at),
    expires_at: row.expires_at === null ? null : formatTimestamp(row.expires_at),
    allowed_ips: row.allowed_ips,
  };
}

interface MintedKey {
  readonly key: string;
  readonly sha256: Buffer;
  readonly last4: string;
}

/** A new key: prefix, 32 random base62 characters, and a checksum over both. */
export function mintKey(random: Random, mode: Mode): MintedKey {
  let key = KEY_PREFIXES[mode] as string;
  for (let count = 0; count < KEY_RANDOM_CHARS; count += 1)
    key += BASE62_ALPHABET[random.below(BASE62_ALPHABET.length)];
  key += keyChecksum(key);
  return { key, sha256: createHash("sha256").update(key).digest(), last4: key.slice(-4) };
}
