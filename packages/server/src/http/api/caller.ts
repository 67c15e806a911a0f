import type { Mode, Role, Scope } from "@longwave/contract";
import { toApiId } from "../platform/ids.ts";

/** An account as the directory keeps it. */
export interface AccountRow {
  readonly id: string;
  readonly shard: number;
  readonly name: string;
  readonly status: "active" | "suspended";
  readonly live_access: "none" | "requested" | "granted" | "rejected";
  readonly rate_limit: number | null;
  readonly daily_message_quota: number;
  readonly phrase_opt_out: "opt_out" | "flag";
  /** Whether typographic characters are replaced where that makes a text GSM-7. */
  readonly smart_encoding: boolean;
  /** When nobody is texted, as one number (see `unpackQuietHours`). */
  readonly quiet_hours: number | null;
  readonly created_at: number;
}

/** What somebody may do in an account, as the rows say it: nothing comes from a key's prefix. */
interface AccountAccess {
  readonly account: AccountRow;
  readonly mode: Mode;
  /** null is full access. */
  readonly scopes: ReadonlySet<Scope> | null;
}

/** A program with an API key. */
export interface KeyPrincipal extends AccountAccess {
  readonly kind: "key";
  readonly keyId: string;
  readonly keyName: string | null;
}

/** A person in the console. */
export interface UserPrincipal extends AccountAccess {
  readonly kind: "user";
  readonly role: Role;
  readonly userId: string;
  readonly userName: string | null;
  /** Whether they gave their password a few minutes ago. */
  readonly isConfirmed: boolean;
  /** Whether they run the installation and look into an account that is not theirs. */
  readonly isVisit: boolean;
}

export type Principal = KeyPrincipal | UserPrincipal;

/** The id under which what a caller does is written down. */
export function callerApiId(caller: Principal): string {
  return caller.kind === "key" ? toApiId("api_key", caller.keyId) : toApiId("user", caller.userId);
}

/** The operator, known by the operator token, or a person in the console who acts as one. */
export interface Operator {
  readonly kind: "operator";
  readonly user?: Pick<UserPrincipal, "userId" | "userName" | "isConfirmed">;
}

export type Caller = Principal | Operator;
