import { createHash } from "node:crypto";
import { counted, Problem } from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import type { Queryable, Tx } from "../../core/db/driver/database.ts";
import { networkOf } from "../../http/exchange/client-address.ts";
import { recordForPerson } from "./audit.ts";
import { countMiss, lockLeftMs } from "./network-lockout.ts";
import { dummyHash, isPassword } from "./passwords.ts";
import {
  clearMisses,
  clearUserFailures,
  findUser,
  readUserByEmail,
  setUserFailures,
  takeRecoveryCode,
  takeTotpStep,
} from "./sql.ts";
import { totpSecret, totpStepOf } from "./totp.ts";

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
  readonly has_passkeys: boolean;
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
  /** Client address of the attempt. */
  readonly ip: string;
}

export type SignInOutcome<T> =
  | { readonly begun: T }
  | { readonly needsCode: true; readonly hasPasskeys: boolean }
  | { readonly problem: Problem };

/** Answer to a right password that needs a second factor. */
export function codeRequired({ hasPasskeys }: { readonly hasPasskeys: boolean }) {
  return { object: "sign_in", code_required: true, passkeys: hasPasskeys };
}

/** Whether the password alone does not sign in. */
export function hasFactor(user: UserRow): boolean {
  return user.totp_secret !== null || user.has_passkeys;
}

export function emailKey(email: string): string {
  return email.trim().normalize("NFKC").toLowerCase();
}

/**
 * Verifies credentials and runs `begin` in the same transaction. Returns refusals instead of throwing,
 * because the count of misses must be committed. An unknown email costs the same work and gets the same
 * answer.
 */
export async function signIn<T>(
  deps: Base,
  given: Credentials,
  begin: (tx: Tx, user: UserRow) => Promise<T>,
): Promise<SignInOutcome<T>> {
  const compared = await comparePassword(deps, given);
  if ("problem" in compared) return compared;
  return deps.db.tx(async (tx) => {
    const now = deps.clock.now();
    const locked = await lockCompared(deps, tx, compared.user, given.ip);
    if ("problem" in locked) return locked;
    const { user } = locked;
    if (hasFactor(user) && !given.code) return { needsCode: true, hasPasskeys: user.has_passkeys };
    if (!(await hasSecondFactor(deps, tx, user, given.code, now))) {
      return countWrongCode(deps, tx, user, given.ip);
    }
    await tx.query(clearUserFailures, [user.id]);
    await tx.query(clearMisses, [guessKey(user.email, given.ip)]);
    return { begun: await begin(tx, user) };
  });
}

type Compared = { readonly user: UserRow } | { readonly problem: Problem };

/**
 * Verifies a password outside of transactions and counts a wrong one. The lock of wrong codes is read only after a
 * right password: before it, the lock would tell which emails exist.
 */
export async function comparePassword(
  deps: Base,
  { email, password, ip }: Credentials,
): Promise<Compared> {
  const key = guessKey(email, ip);
  const [found] = await deps.db.query<UserRow>(readUserByEmail, [emailKey(email)]);
  const problem = await lockOf(deps, deps.db, key, null);
  if (problem) return { problem };
  const stored = found?.password_hash ?? dummyHash();
  const isRight = await isPassword(password, stored, networkOf(ip));
  if (found && isRight) {
    const codesLocked = await lockOf(deps, deps.db, key, found);
    return codesLocked ? { problem: codesLocked } : { user: found };
  }
  return countWrongPassword(deps, key, found, ip);
}

/** Locks the user, and checks that neither the password nor a lock changed during the comparison. */
export async function lockCompared(
  deps: Base,
  tx: Tx,
  compared: UserRow,
  ip: string,
): Promise<Compared> {
  const [user] = await tx.query<UserRow>(findUser, [compared.id]);
  if (user?.password_hash !== compared.password_hash) return { problem: wrong() };
  const problem = await lockOf(deps, tx, guessKey(user.email, ip), user);
  return problem ? { problem } : { user };
}

/**
 * Key for counting wrong passwords: email and network, so that an attacker locks nobody out of other
 * networks. Unknown emails count alike.
 */
export function guessKey(email: string, ip: string): string {
  const digest = createHash("sha256").update(emailKey(email)).digest("base64url");
  return `${digest} ${networkOf(ip)}`;
}

async function lockOf(
  { clock }: Base,
  db: Queryable,
  key: string,
  user: UserRow | null,
): Promise<Problem | null> {
  const now = clock.now();
  const ofPersonMs = (user?.locked_until ?? 0) - now;
  const leftMs = Math.max(ofPersonMs, await lockLeftMs(db, now, key));
  return leftMs > 0 ? locked(leftMs) : null;
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

async function countWrongPassword(
  deps: Base,
  key: string,
  user: UserRow | undefined,
  ip: string,
): Promise<{ problem: Problem }> {
  const { lockMs, isCounted } = await countMiss(deps, key, FAILURES_MAX);
  if (lockMs <= 0) return { problem: wrong() };
  if (user && isCounted) {
    // The answer does not wait for it: its time would tell that the email has a user.
    deps.db
      .tx((tx) => recordForPerson(deps, tx, user.id, { action: "user.locked", ip }))
      .catch((err: unknown) => deps.log.error({ err }, "console: lock not recorded"));
  }
  return { problem: locked(lockMs) };
}

/**
 * Counts a wrong code for the user from any network: the attacker knows the password. From the fifth miss on,
 * each one doubles the lock.
 */
async function countWrongCode(
  deps: Base,
  tx: Tx,
  user: UserRow,
  ip: string,
): Promise<{ problem: Problem }> {
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

/** Accepts a TOTP code (each step once) or a recovery code (each once). */
async function hasSecondFactor(
  deps: Base,
  tx: Tx,
  user: UserRow,
  code = "",
  now: number,
): Promise<boolean> {
  if (!hasFactor(user)) return true;
  const plain = code.replaceAll(/[\s-]/g, "");
  if (/^\d{6}$/.test(plain)) {
    if (user.totp_secret === null) return false;
    const secret = Buffer.from(
      deps.secrets.decrypt(user.totp_secret, totpSecret(user.id)),
      "base64",
    );
    const step = totpStepOf(secret, plain, now, Number(user.totp_step));
    if (step === null) return false;
    return (await tx.query(takeTotpStep, [user.id, step])).length > 0;
  }
  return (await tx.query(takeRecoveryCode, [user.id, hashRecoveryCode(plain)])).length > 0;
}

export function hashRecoveryCode(code: string): Buffer {
  return createHash("sha256").update(code.toLowerCase()).digest();
}
