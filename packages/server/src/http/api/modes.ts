import { type Mode, Problem } from "@longwave/contract";
import type { AccountRef } from "../../core/db/driver/account-cache.ts";
import type { Principal } from "./caller.ts";

/** Account and mode of a caller: the search key of every object of one mode. */
export type ModedCaller = Pick<Principal, "account" | "mode">;

/** An account in one mode, for statements on rows of that mode. */
export interface ModedAccount extends AccountRef {
  readonly mode: Mode;
}

export function accountIn({ account, mode }: ModedCaller): ModedAccount {
  return { shard: account.shard, id: account.id, mode };
}

interface Moded {
  readonly mode: Mode;
}

/** The row, or null if it belongs to the other mode: callers see and change their own mode only. */
export function inMode<Row extends Moded>(row: Row | null | undefined, mode: Mode): Row | null {
  return row && row.mode === mode ? row : null;
}

/** Whether a `mode` filter asks for the mode that the caller does not see. Filters only narrow. */
export function narrowsToNothing(
  { mode }: Pick<ModedCaller, "mode">,
  query: { readonly mode?: Mode },
): boolean {
  return query.mode !== undefined && query.mode !== mode;
}

/** Refuses to change an object that both modes see and only its own mode may change. */
export function requireMode(mode: Mode, { mode: needed }: Moded, subject: string): void {
  if (mode !== needed) throw modeMismatch(subject, needed);
}

/** Refuses a test key where an action spans both modes, once the account has live objects. */
export function requireLiveOnceGranted(
  { account, mode }: ModedCaller,
  subject: string,
  param?: string,
): void {
  if (mode === "live" || account.live_access !== "granted") return;
  throw new Problem(
    "mode_mismatch",
    `${subject} spans both modes, and this account has live access. Use a live key, or switch the console to Live.`,
    param === undefined ? {} : { param },
  );
}

/** `subject` is a noun phrase, such as `The automation Welcome`. */
export function modeMismatch(subject: string, needed: Mode, param?: string): Problem {
  const shown = needed === "live" ? "Live" : "Sandbox";
  return new Problem(
    "mode_mismatch",
    `${subject} is ${needed}. Use a ${needed} key, or switch the console to ${shown}.`,
    param === undefined ? {} : { param },
  );
}
