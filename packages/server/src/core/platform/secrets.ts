import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from "node:crypto";
import type { Random } from "./random.ts";

const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Derives every key from the installation's root key: encryption of secrets at rest, signatures of cursors, and
 * codes. Each purpose has its own derived key.
 */
export interface Secrets {
  /** `owner` names the row that stores the secret, so that no other row's ciphertext decrypts in its place. */
  encrypt(plain: string, owner: SecretOwner): Buffer;
  decrypt(sealed: Buffer, owner: SecretOwner): string;
  hmac(purpose: string, data: string | Buffer): Buffer;
}

/** Purpose and id of a stored secret, authenticated with the ciphertext as associated data. */
export type SecretOwner = readonly [purpose: string, id: string];

const associated = (owner: SecretOwner): Buffer => Buffer.from(JSON.stringify(owner));

export function createSecrets(rootKey: Buffer, random: Random): Secrets {
  const derived = new Map<string, Buffer>();
  const keyFor = (purpose: string): Buffer => {
    let key = derived.get(purpose);
    if (!key) {
      key = Buffer.from(hkdfSync("sha256", rootKey, "longwave", purpose, 32));
      derived.set(purpose, key);
    }
    return key;
  };
  return {
    encrypt(plain, owner) {
      const iv = random.bytes(IV_BYTES);
      const cipher = createCipheriv("aes-256-gcm", keyFor("at-rest"), iv);
      cipher.setAAD(associated(owner));
      const sealed = Buffer.concat([cipher.update(plain, "utf8"), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), sealed]);
    },
    decrypt(sealed, owner) {
      const iv = sealed.subarray(0, IV_BYTES);
      const decipher = createDecipheriv("aes-256-gcm", keyFor("at-rest"), iv, {
        authTagLength: TAG_BYTES,
      });
      decipher.setAAD(associated(owner));
      decipher.setAuthTag(sealed.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
      const plain = decipher.update(sealed.subarray(IV_BYTES + TAG_BYTES));
      return Buffer.concat([plain, decipher.final()]).toString("utf8");
    },
    hmac: (purpose, data) => createHmac("sha256", keyFor(purpose)).update(data).digest(),
  };
}
