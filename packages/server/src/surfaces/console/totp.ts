import { createHmac } from "node:crypto";
import type { SecretOwner } from "../../core/platform/secrets.ts";

/** One-time codes of an authenticator app (RFC 6238): SHA-1, 6 digits, 30 seconds. */
const STEP_MS = 30_000;
const DIGITS = 6;
/** Clock skew: the previous and the next step are accepted, too. */
const STEPS_APART_MAX = 1;
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

export function totpStep(nowMs: number): number {
  return Math.floor(nowMs / STEP_MS);
}

export function totpCode(secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac("sha1", secret).update(counter).digest();
  const offset = (digest.at(-1) ?? 0) & 0x0f;
  const value = digest.readUInt32BE(offset) & 0x7fff_ffff;
  return String(value % 10 ** DIGITS).padStart(DIGITS, "0");
}

/** Step of a valid code later than the last accepted step; null for a wrong code. */
export function totpStepOf(
  secret: Buffer,
  code: string,
  nowMs: number,
  lastStep: number,
): number | null {
  const now = totpStep(nowMs);
  for (let step = now - STEPS_APART_MAX; step <= now + STEPS_APART_MAX; step += 1) {
    if (step > lastStep && totpCode(secret, step) === code) return step;
  }
  return null;
}

/** RFC 4648 base32 without padding, as authenticator apps expect it. */
export function base32(bytes: Buffer): string {
  let bits = "";
  for (const byte of bytes) bits += byte.toString(2).padStart(8, "0");
  const groups = bits.match(/.{1,5}/g) ?? [];
  return groups.map((group) => ALPHABET[Number.parseInt(group.padEnd(5, "0"), 2)]).join("");
}

export function otpauthUri(secret: Buffer, email: string): string {
  const label = encodeURIComponent(`Longwave:${email}`);
  return `otpauth://totp/${label}?secret=${base32(secret)}&issuer=Longwave`;
}

/** The row of a user's TOTP secret. */
export function totpSecret(userId: string): SecretOwner {
  return ["totp", userId];
}
