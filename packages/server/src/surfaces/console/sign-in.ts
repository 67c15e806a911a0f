import { createHash } from "node:crypto";
import { counted, Problem } from "@longwave/contract";
import type { Base } from "../base.ts";
import type { Tx } from "../db/database.ts";
import { isPassword, NOBODYS_HASH } from "./passwords.ts";
import {
  findUserByEmail,
  markUserSeen,
  readUserByEmail,
  setUserFailures,
  takeRecoveryCode,
  takeTotpStep,
} from "./sql.ts";
import { totpStepOf } from "./totp.ts";
import { recordForPerson } from "./trail.ts";

const FAILURES_MAX = 5;
const FAILURES_WINDOW_MS = 15 * 60_000;
const LOCK_FIRST_MS = 30_000;
const LOCK_MS_MAX = 15 * 60_000;

export interface UserRow {
  readonly id: string;
  readonly email: string;
  readonly name: string | null;
  readonly password_hash: string;
  readonly totp_secret: Buffer | null;
  readonly totp_step: number | string;
  readonly recovery_codes: Buffer[];
  readonly is_operator: boolean;
  readonly failed_sign_ins: number;
  readonly failed_since: number | null;
  readonly locked_until: number | null;
}

export interface Credentials {
  readonly email: string;
  readonly password: string;
  /** Six digits of the app, or a recovery code. */
  readonly code?: string | undefined;
  /** Where they come from. */
  readonly ip: string;
}

export type SignInOutcome<T> =
  | { readonly begun: T }
  | { readonly needsCode: true }
  | { readonly problem: Problem };

export function emailKey(email: string): string {
  return email.trim().normalize("NFKC").toLowerCase();
}

/**
 * Who has these credentials, and what `begin` makes of it in the same transaction. Refusals are given
 * back and not thrown, because the count of misses must be kept. An email that nobody has costs the
 * same work and gets the same answer.
 */
export async function signIn<T>(
  deps: Base,
  given: Credentials,
  begin: (tx: Tx, user: UserRow) => Promise<T>,
): Promise<SignInOutcome<T>> {
  const email = emailKey(given.email);
  const [found] = await deps.db.query<UserRow>(readUserByEmail, [email]);
  const early = found ? lockOf(found, deps.clock.now()) : null;
  if (early) return { problem: early };
  // Outside of the transaction, which would hold one of few connections meanwhile.
  const isRight = await isPassword(given.password, found?.password_hash ?? NOBODYS_HASH);
  if (!found) return { problem: wrong() };
  return deps.db.tx(async (tx) => {
    const now = deps.clock.now();
    const [user] = await tx.query<UserRow>(findUserByEmail, [email]);
    if (!user) return { problem: wrong() };
    // Of many guesses that were hashed meanwhile, those after the lock tell nothing.
    const problem = lockOf(user, now);
    if (problem) return { problem };
    const isSame = user.password_hash === found.password_hash;
    const missed = () => miss(deps, tx, user, given.ip);
    if (!isRight || !isSame) return missed();
    if (user.totp_secret !== null && !given.code) return { needsCode: true };
    if (!(await hasSecondFactor(deps, tx, user, given.code, now))) return missed();
    await tx.query(markUserSeen, [user.id, new Date(now)]);
    return { begun: await begin(tx, user) };
  });
}

function lockOf(user: UserRow, now: number): Problem | null {
  return user.locked_until && user.locked_until > now ? locked(user.locked_until - now) : null;
}

function wrong(): Problem {
  return new Problem("invalid_credentials", "The email, the password or the code is wrong.");
}

function locked(leftMs: number): Problem {
  const seconds = Math.ceil(leftMs / 1000);
  return new Problem(
    "rate_limited",
    `Too many wrong tries. Try again in ${counted(seconds, "second")}.`,
    {
      headers: { "retry-after": String(seconds) },
    },
  );
}

/** Counts a miss; from the fifth on each locks for twice as long as the one before. */
async function miss(deps: Base, tx: Tx, user: UserRow, ip: string): Promise<{ problem: Problem }> {
  const now = deps.clock.now();
  const isRecent = user.failed_since !== null && now - user.failed_since < FAILURES_WINDOW_MS;
  const failures = isRecent ? user.failed_sign_ins + 1 : 1;
  const since = isRecent && user.failed_since !== null ? user.failed_since : now;
  const beyond = failures - FAILURES_MAX;
  const lockMs = beyond < 0 ? 0 : Math.min(LOCK_MS_MAX, LOCK_FIRST_MS * 2 ** beyond);
  const until = lockMs === 0 ? null : new Date(now + lockMs);
  await tx.query(setUserFailures, [user.id, failures, new Date(since), until]);
  if (lockMs === 0) return { problem: wrong() };
  await recordForPerson(deps, tx, user.id, { action: "user.locked", ip });
  return { problem: locked(lockMs) };
}

/** A code of the app, each step once, or one of the recovery codes, each once. */
async function hasSecondFactor(
  deps: Base,
  tx: Tx,
  user: UserRow,
  code = "",
  now: number,
): Promise<boolean> {
  if (user.totp_secret === null) return true;
  const plain = code.replaceAll(/[\s-]/g, "");
  if (/^\d{6}$/.test(plain)) {
    const secret = Buffer.from(deps.secrets.decrypt(user.totp_secret), "base64");
    const step = totpStepOf(secret, plain, now, Number(user.totp_step));
    if (step === null) return false;
    return (await tx.query(takeTotpStep, [user.id, step])).length > 0;
  }
  return (await tx.query(takeRecoveryCode, [user.id, hashRecoveryCode(plain)])).length > 0;
}

export function hashRecoveryCode(code: string): Buffer {
  return createHash("sha256").update(code.toLowerCase()).digest();
}
