/** What `/console/v1` answers beside the API's own resources. */

export type Role = "viewer" | "member" | "admin" | "owner";

export interface SessionUser {
  readonly id: string;
  readonly email: string;
  readonly name: string | null;
  readonly totp_enabled: boolean;
  readonly operator: boolean;
}

export interface SessionAccount {
  readonly id: string;
  readonly name: string;
  readonly status: "active" | "suspended";
  readonly live_access: "none" | "requested" | "granted" | "rejected";
  readonly role: Role;
}

export interface ConsoleSession {
  readonly object: "session";
  /** null: nobody is signed in. */
  readonly user: SessionUser | null;
  readonly accounts: readonly SessionAccount[];
  /** Nobody can sign in yet: the first user comes in by the link that the server printed. */
  readonly needs_first_user: boolean;
}
