import type { Mode, Role, Scope } from "@longwave/contract";
import { toApiId } from "../../core/platform/ids.ts";
import type { Cidr } from "../../core/platform/outgoing/addresses.ts";

/** An account as the directory keeps it. */
export interface AccountRow {
  readonly id: string;
  readonly shard: number;
  readonly name: string;
  readonly status: "active" | "suspended";
  readonly live_access: "none" | "requested" | "granted" | "rejected";
  readonly rate_limit: number | null;
  /** Live messages per UTC day; null: the installation's default (`dailyQuotaOf`). */
  readonly daily_message_quota: number | null;
  readonly phrase_opt_out: "opt_out" | "flag";
  /** Whether typographic characters are replaced when that makes a message fit GSM-7. */
  readonly smart_encoding: boolean;
  /** Quiet hours packed into one number (see `unpackQuietHours`). */
  readonly quiet_hours: number | null;
  /** Whether only people who have opted in may be messaged first. */
  readonly opt_in_required: boolean;
  /** Days after which messages lose body and number; null: never. Sending does not need it. */
  readonly redact_after_days: number | null;
  readonly created_at: number;
}

/** Rights in an account, read from its rows; a key's prefix grants nothing. */
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
  /** Networks that may use the key; null: any. */
  readonly allowedIps: readonly Cidr[] | null;
}

/** A person in the console. */
export interface UserPrincipal extends AccountAccess {
  readonly kind: "user";
  readonly role: Role;
  readonly userId: string;
  readonly userName: string | null;
  /** Whether the person entered the password within the last few minutes. */
  readonly isConfirmed: boolean;
  /** Whether an operator views another account. */
  readonly isVisit: boolean;
}

export type Principal = KeyPrincipal | UserPrincipal;

/** Id of the caller in audit entries and records. */
export function callerApiId(caller: Principal): string {
  return caller.kind === "key" ? toApiId("api_key", caller.keyId) : toApiId("user", caller.userId);
}

/** The operator: identified by a token, or a console user acting as one. */
export interface Operator {
  readonly kind: "operator";
  /** Named token; unset for the installation's own. */
  readonly token?: { readonly tokenId: string; readonly tokenName: string };
  readonly user?: Pick<UserPrincipal, "userId" | "userName" | "isConfirmed">;
}

export type Caller = Principal | Operator;
