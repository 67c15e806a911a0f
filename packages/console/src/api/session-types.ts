import type { IdKind, Role } from "@longwave/contract/tables";

/** Answers of `/console/v1` beside the API's own resources. */

export interface SessionUser {
  readonly id: string;
  readonly email: string;
  readonly name: string | null;
  readonly totp_enabled: boolean;
  readonly passkeys_enabled: boolean;
  /** The installation requires a second factor of this person. */
  readonly second_factor_required: boolean;
  readonly mail_notices: boolean;
  readonly operator: boolean;
}

export interface SessionAccount {
  readonly id: string;
  readonly name: string;
  readonly status: "active" | "suspended";
  readonly live_access: "none" | "requested" | "granted" | "rejected";
  readonly role: Role;
  /** Visited by an operator of the installation, who is no member of the account. */
  readonly visited: boolean;
}

export interface ConsoleSession {
  readonly object: "session";
  /** null: nobody is signed in. */
  readonly user: SessionUser | null;
  readonly accounts: readonly SessionAccount[];
  /** No user exists yet: the first one signs up by the link that the server printed. */
  readonly needs_first_user: boolean;
  readonly features: {
    /** Password reset links can be mailed. */
    readonly reset_by_mail: boolean;
    /** Accounts pay; false: the console shows no money. */
    readonly billing: boolean;
  };
}

/** Progress of an account's setup, by stored rows. */
export interface HomeState {
  readonly object: "home";
  readonly steps: {
    readonly key_used: boolean;
    readonly text_sent: boolean;
    readonly webhook_added: boolean;
    readonly phone_verified: boolean;
    readonly registration_made: boolean;
    readonly live_access: boolean;
  };
  /** A number to send from; null while there is none. */
  readonly from: string | null;
}

export interface SearchHit {
  readonly kind: IdKind | "number";
  readonly id: string;
  readonly name: string | null;
  readonly detail: string | null;
  readonly status: string | null;
  readonly created_at: string | null;
}

export interface SearchAnswer {
  readonly object: "search";
  readonly data: readonly SearchHit[];
}

export interface SignInAnswer {
  readonly object: "sign_in";
  /** The password was right; the person also needs a passkey, or a code of the authenticator app. */
  readonly code_required: boolean;
  readonly passkeys?: boolean;
}

export interface Passkey {
  readonly id: string;
  readonly name: string;
  readonly created_at: string;
  readonly used_at: string | null;
}

export interface AddedPasskey {
  readonly name: string;
  /** Null unless this is the first second factor. */
  readonly recovery_codes: readonly string[] | null;
}

export interface LinkAnswer {
  readonly object: "link";
  readonly kind: "first" | "invitation" | "reset";
  readonly email: string | null;
  /** A user with this email has a password already: the invitation only adds the account. */
  readonly is_known: boolean;
  readonly role: Role | null;
  readonly account_name: string | null;
  /** Inviter; null for the operator and the command line. */
  readonly invited_by: string | null;
}

export interface Member {
  readonly id: string;
  readonly email: string;
  readonly name: string | null;
  readonly role: Role;
  readonly second_factor: boolean;
  readonly seen_at: string | null;
  readonly created_at: string;
}

export interface Invitation {
  readonly id: string;
  readonly email: string;
  readonly role: Role;
  readonly created_at: string;
  readonly expires_at: string;
}

export interface MemberList {
  readonly data: readonly Member[];
  readonly invitations: readonly Invitation[];
}

export interface MadeLink {
  /** Null when the link is only in the mail. */
  readonly url: string | null;
  /** The link was mailed to the member. */
  readonly mailed: boolean;
  readonly expires_at: string;
}

export interface OwnSession {
  readonly id: string;
  readonly ip: string;
  readonly agent: string;
  readonly created_at: string;
  readonly used_at: string;
  readonly current: boolean;
}

export interface TotpSetup {
  readonly secret: string;
  readonly uri: string;
  readonly setup: string;
}
