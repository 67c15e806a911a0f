import { Problem, type Role } from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import type { Config } from "../../core/config/config.ts";
import type { Queryable, Tx } from "../../core/db/driver/database.ts";
import type { Statement } from "../../core/db/driver/statement.ts";
import type { LinkKind, LinkRow } from "./link-permissions.ts";
import { isStillAllowed } from "./link-permissions.ts";
import { withNetworkLockout } from "./network-lockout.ts";
import { hashToken } from "./session-request.ts";
import { findLink, insertLink, readLink, useLink } from "./sql.ts";

const TOKEN_BYTES = 32;
const HOUR_MS = 3_600_000;

/** Lifetime and page of each kind of link. The token follows the #, so that no server logs it. */
const LINKS: Readonly<Record<LinkKind, { validMs: number; path: string }>> = {
  first: { validMs: 24 * HOUR_MS, path: "/first" },
  invitation: { validMs: 7 * 24 * HOUR_MS, path: "/join" },
  reset: { validMs: HOUR_MS / 4, path: "/reset" },
};

export interface NewLink {
  readonly kind: LinkKind;
  readonly email?: string | null;
  readonly userId?: string | null;
  readonly accountId?: string | null;
  readonly role?: Role | null;
  readonly createdBy?: string | null;
}

/** Creates a one-time link. Only its hash is stored; this answer is the only copy of the token. */
export async function makeLink(
  deps: Base,
  tx: Tx,
  link: NewLink,
  origin: string,
): Promise<{ url: string; expiresAtMs: number; id: string }> {
  const { validMs, path } = LINKS[link.kind];
  const now = deps.clock.now();
  const id = deps.ids.makeAt(now);
  const token = deps.random.bytes(TOKEN_BYTES).toString("base64url");
  const expiresAtMs = now + validMs;
  await tx.query(insertLink, [
    hashToken(token),
    id,
    link.kind,
    link.email ?? null,
    link.userId ?? null,
    link.accountId ?? null,
    link.role ?? null,
    link.createdBy ?? null,
    new Date(now),
    new Date(expiresAtMs),
  ]);
  return { url: `${origin}${path}#${token}`, expiresAtMs, id };
}

/** Origin of links that are made without a browser request. */
export function ownOrigin({ publicUrl, host, port }: Config): string {
  return publicUrl ?? `http://${host}:${port}`;
}

/** Finds a link before expensive work. Takes no lock. A wrong token counts as a miss of that network. */
export async function lookUpLink(deps: Base, ip: string, token: string): Promise<LinkRow> {
  const outcome = await withNetworkLockout(deps, ip, async () => {
    const link = await usableLink(deps, deps.db, readLink, token);
    return link ? { link } : { problem: linkUnusable() };
  });
  if ("problem" in outcome) throw outcome.problem;
  return outcome.link;
}

/** The link of a token, locked for the transaction that uses it. */
export async function lockLink(deps: Base, tx: Tx, token: string): Promise<LinkRow> {
  const link = await usableLink(deps, tx, findLink, token);
  if (!link) throw linkUnusable();
  return link;
}

async function usableLink(
  deps: Base,
  db: Queryable,
  read: Statement,
  token: string,
): Promise<LinkRow | null> {
  const [link] = await db.query<LinkRow>(read, [hashToken(token), new Date(deps.clock.now())]);
  return link && (await isStillAllowed(db, link)) ? link : null;
}

/** One refusal for a link that is unknown, used or expired, or that its maker may no longer make. */
function linkUnusable(): Problem {
  return new Problem(
    "not_found",
    "This link was used already, or its time is over. Ask for a new one.",
  );
}

export async function consumeLink(deps: Base, tx: Tx, token: string): Promise<void> {
  await tx.query(useLink, [hashToken(token), new Date(deps.clock.now())]);
}
