import type { Mode, Scope } from "@longwave/contract";

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
  readonly created_at: number;
}

/** Who calls, as the rows say it: mode and scopes never come from the key's prefix. */
export interface Principal {
  readonly kind: "key";
  readonly account: AccountRow;
  readonly keyId: string;
  readonly keyName: string | null;
  readonly mode: Mode;
  /** null is full access. */
  readonly scopes: ReadonlySet<Scope> | null;
}

/** The operator, known by the operator token. */
export interface Operator {
  readonly kind: "operator";
}

export type Caller = Principal | Operator;
