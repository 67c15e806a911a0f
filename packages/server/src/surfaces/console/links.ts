import { Problem, type Role } from "@longwave/contract";
import type { Base } from "../base.ts";
import type { Tx } from "../db/database.ts";
import { findLink, insertLink, useLink } from "./sql.ts";
import { hashToken } from "./visitor.ts";

const TOKEN_BYTES = 32;
const HOUR_MS = 3_600_000;

export type LinkKind = "first" | "invitation" | "reset";

/** How long each kind of link works, and where it leads. The token stands behind the #: no server logs it. */
const LINKS: Readonly<Record<LinkKind, { validMs: number; path: string }>> = {
  first: { validMs: 24 * HOUR_MS, path: "/first" },
  invitation: { validMs: 7 * 24 * HOUR_MS, path: "/join" },
  reset: { validMs: HOUR_MS / 4, path: "/reset" },
};

export interface LinkRow {
  readonly id: string;
  readonly kind: LinkKind;
  readonly email: string | null;
  readonly user_id: string | null;
  readonly account_id: string | null;
  readonly role: Role | null;
}

export interface NewLink {
  readonly kind: LinkKind;
  readonly email?: string | null;
  readonly userId?: string | null;
  readonly accountId?: string | null;
  readonly role?: Role | null;
  readonly createdBy?: string | null;
}

/** Makes a link that works once. Only its hash is kept: the answer is the only place it is ever seen. */
export async function makeLink(
  deps: Base,
  tx: Tx,
  wanted: NewLink,
  origin: string,
): Promise<{ url: string; expiresAtMs: number; id: string }> {
  const { validMs, path } = LINKS[wanted.kind];
  const now = deps.clock.now();
  const id = deps.ids.makeAt(now);
  const token = deps.random.bytes(TOKEN_BYTES).toString("base64url");
  const expiresAtMs = now + validMs;
  await tx.query(insertLink, [
    hashToken(token),
    id,
    wanted.kind,
    wanted.email ?? null,
    wanted.userId ?? null,
    wanted.accountId ?? null,
    wanted.role ?? null,
    wanted.createdBy ?? null,
    new Date(now),
    new Date(expiresAtMs),
  ]);
  return { url: `${origin}${path}#${token}`, expiresAtMs, id };
}

/** The link of a token; the same refusal for one that never was, was used, or is too old. */
export async function openLink(deps: Base, tx: Tx, token: string): Promise<LinkRow> {
  const [row] = await tx.query<LinkRow>(findLink, [hashToken(token), new Date(deps.clock.now())]);
  if (row) return row;
  throw new Problem(
    "not_found",
    "This link was used already, or its time is over. Ask for a new one.",
  );
}

export async function spendLink(deps: Base, tx: Tx, token: string): Promise<void> {
  await tx.query(useLink, [hashToken(token), new Date(deps.clock.now())]);
}
