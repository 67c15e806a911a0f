import { createHash } from "node:crypto";
import {
  BASE62_ALPHABET,
  KEY_PREFIXES,
  KEY_RANDOM_CHARS,
  keyChecksum,
  type Mode,
} from "@longwave/contract";
import type { Random } from "../../core/platform/random.ts";

export interface MintedKey {
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
