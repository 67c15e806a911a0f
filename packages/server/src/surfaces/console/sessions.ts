import type { Role } from "@longwave/contract";
import { readAccount } from "../../account/accounts/index.ts";
import type { Base } from "../../core/base.ts";
import type { Config } from "../../core/config/config.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import { CONSOLE_CHANGED, notify } from "../../core/db/driver/notifications.ts";
import type { AccountRow } from "../../http/api/caller.ts";
import { hashToken } from "./session-request.ts";
import {
  confirmSession,
  deleteOldSessions,
  findSession,
  insertSession,
  listMemberships,
  markSessionUsed,
} from "./sql.ts";

const TOKEN_BYTES = 32;
const AGENT_CHARS_MAX = 200;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** Maximum age of a cached session: a change is effective everywhere within a second. */
const CACHE_AGE_MS_MAX = 1_000;
const CACHE_SESSIONS_MAX = 5_000;
/** Minimum time between two updates of a session's `used_at`. */
const USED_WRITTEN_MS = 60_000;

export interface Membership {
  readonly role: Role;
  readonly account: AccountRow;
  /** True for an operator who visits the account in this session without being a member. */
  readonly isVisit: boolean;
}

/** A signed-in user. */
export interface Session {
  readonly id: string;
  readonly tokenHash: Buffer;
  readonly userId: string;
  readonly email: string;
  readonly name: string | null;
  readonly isOperator: boolean;
  readonly hasTotp: boolean;
  readonly hasPasskeys: boolean;
  /** Wants mail about problems of their accounts and of the installation. */
  readonly getsNotices: boolean;
  /** Whether LONGWAVE_REQUIRE_SECOND_FACTOR names the user's rank. */
  readonly requiresFactor: boolean;
  /** When the password was last given. */
  readonly confirmedAtMs: number;
  readonly memberships: readonly Membership[];
}

export interface Sessions {
  /** The session of a token, or null once it has ended. `isUse`: extends the session's idle time. */
  find(token: string, isUse: boolean): Promise<Session | null>;
  /** Begins a session. The token goes into the cookie and nowhere else. */
  begin(tx: Tx, userId: string, from: { ip: string; agent: string }): Promise<string>;
  /** Continues the session under a new token, after the password was confirmed. */
  confirm(tx: Tx, session: Session): Promise<string>;
  /** Drops cached sessions, here and in all other processes. */
  changed(tx: Tx): Promise<void>;
}

interface SessionRow {
  readonly session_id: string;
  readonly used_at: number;
  readonly ends_at: number;
  readonly confirmed_at: number;
  readonly user_id: string;
  readonly email: string;
  readonly name: string | null;
  readonly is_operator: boolean;
  readonly totp_enabled: boolean;
  readonly passkey_enabled: boolean;
  readonly mail_notices: boolean;
  readonly visited_account_id: string | null;
}

interface CachedSession {
  readonly session: Session;
  readonly endsAtMs: number;
  readonly readAtMs: number;
  usedAtMs: number;
}

/** The account that an operator visits. Members need no visit. */
async function visitOf(
  deps: Base,
  row: SessionRow,
  own: readonly Membership[],
): Promise<Membership[]> {
  const id = row.visited_account_id;
  if (id === null || !row.is_operator || own.some(({ account }) => account.id === id)) return [];
  const account = await readAccount(deps.db, id);
  return account ? [{ role: "viewer", account, isVisit: true }] : [];
}

function requiresFactor(
  { secondFactorOf }: Config,
  isOperator: boolean,
  own: readonly Membership[],
): boolean {
  const isOwner = own.some(({ role }) => role === "owner");
  return (
    (isOperator && secondFactorOf.includes("operators")) ||
    (isOwner && secondFactorOf.includes("owners"))
  );
}

export function createSessions(deps: Base): Sessions {
  const { db, clock, config } = deps;
  const idleMs = config.sessionIdleMinutes * MINUTE_MS;
  const cache = new Map<string, CachedSession>();
  deps.notifications.subscribe("longwave_cache", () => cache.clear());

  const read = async (tokenHash: Buffer): Promise<CachedSession | null> => {
    const [row] = await db.query<SessionRow>(findSession, [tokenHash]);
    if (!row) return null;
    const rows = await db.query<AccountRow & { role: Role }>(listMemberships, [row.user_id]);
    const own = rows.map(({ role, ...account }) => ({ role, account, isVisit: false }));
    const memberships = [...own, ...(await visitOf(deps, row, own))];
    const session: Session = {
      id: row.session_id,
      tokenHash,
      userId: row.user_id,
      email: row.email,
      name: row.name,
      isOperator: row.is_operator,
      hasTotp: row.totp_enabled,
      hasPasskeys: row.passkey_enabled,
      getsNotices: row.mail_notices,
      requiresFactor: requiresFactor(config, row.is_operator, own),
      confirmedAtMs: row.confirmed_at,
      memberships,
    };
    const readAtMs = clock.monotonic();
    return { session, endsAtMs: row.ends_at, usedAtMs: row.used_at, readAtMs };
  };

  const use = async (known: CachedSession, now: number): Promise<void> => {
    if (now - known.usedAtMs < USED_WRITTEN_MS) return;
    known.usedAtMs = now;
    await db.query(markSessionUsed, [known.session.tokenHash, new Date(now)]);
  };

  return {
    async find(token, isUse) {
      const cached = cache.get(token);
      const isFresh = cached && clock.monotonic() - cached.readAtMs < CACHE_AGE_MS_MAX;
      const known = isFresh ? cached : await read(hashToken(token));
      if (!known) return null;
      const now = clock.now();
      if (now >= known.endsAtMs || now - known.usedAtMs >= idleMs) return null;
      if (cache.size >= CACHE_SESSIONS_MAX) cache.clear();
      cache.set(token, known);
      if (isUse) await use(known, now);
      return known.session;
    },
    async begin(tx, userId, { ip, agent }) {
      const now = clock.now();
      await tx.query(deleteOldSessions, [userId, new Date(now), new Date(now - idleMs)]);
      const token = deps.random.bytes(TOKEN_BYTES).toString("base64url");
      const endsAt = new Date(now + config.sessionHours * HOUR_MS);
      const shown = agent.slice(0, AGENT_CHARS_MAX);
      await tx.query(insertSession, [
        hashToken(token),
        deps.ids.makeAt(now),
        userId,
        ip,
        shown,
        new Date(now),
        endsAt,
      ]);
      return token;
    },
    async confirm(tx, session) {
      const token = deps.random.bytes(TOKEN_BYTES).toString("base64url");
      const values = [session.tokenHash, hashToken(token), new Date(clock.now())];
      await tx.query(confirmSession, values);
      await notify(tx, "longwave_cache", CONSOLE_CHANGED);
      return token;
    },
    changed: (tx) => notify(tx, "longwave_cache", CONSOLE_CHANGED),
  };
}
