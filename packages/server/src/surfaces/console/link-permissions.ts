import { CONSOLE_ROLES, ROLES, type Role, roleAllows } from "@longwave/contract";
import type { Queryable } from "../../core/db/driver/database.ts";
import { listMemberships, readUser } from "./sql.ts";

export type LinkKind = "first" | "invitation" | "reset";

export interface LinkRow {
  readonly id: string;
  readonly kind: LinkKind;
  readonly email: string | null;
  readonly user_id: string | null;
  readonly account_id: string | null;
  readonly role: Role | null;
  readonly created_by: string | null;
}

/**
 * Whether the link's maker may still make it. Links without a maker come from the command line, the operator
 * token, or their own user.
 */
export function isStillAllowed(db: Queryable, link: LinkRow): Promise<boolean> {
  const { created_by: makerId, account_id: accountId, user_id: userId, role } = link;
  if (makerId === null) return Promise.resolve(true);
  if (link.kind === "reset" && userId !== null) return mayReset(db, makerId, userId);
  if (accountId === null || role === null) return Promise.resolve(false);
  return mayInvite(db, makerId, accountId, role);
}

/**
 * Whether the maker may create a reset link, which opens every account of the user. The maker must be their
 * admin in one account, rank as high in all, and be an operator if the user is one. For operators the first
 * condition suffices.
 */
export async function mayReset(db: Queryable, makerId: string, userId: string): Promise<boolean> {
  const [maker, person] = [await userOf(db, makerId), await userOf(db, userId)];
  const makerRoles = await rolesOf(db, makerId);
  const roles = [...(await rolesOf(db, userId))];
  const isAsHigh = ([account, role]: [string, Role], least: Role = "viewer") => {
    const ownRole = makerRoles.get(account);
    return ownRole !== undefined && roleAllows(ownRole, role) && roleAllows(ownRole, least);
  };
  const isTheirAdmin = roles.some((each) => isAsHigh(each, CONSOLE_ROLES["members.reset"]));
  if (!isTheirAdmin || !maker || !person) return false;
  return maker.is_operator || (!person.is_operator && roles.every((each) => isAsHigh(each)));
}

/** Whether the maker may invite with this role: members up to their own, operators with any. */
async function mayInvite(
  db: Queryable,
  makerId: string,
  accountId: string,
  role: Role,
): Promise<boolean> {
  const ownRole = (await rolesOf(db, makerId)).get(accountId) ?? null;
  if (rolesToGive(ownRole).includes(role)) return true;
  return (await userOf(db, makerId))?.is_operator === true;
}

/** Roles that a member with this role may grant. */
export function rolesToGive(ownRole: Role | null): readonly Role[] {
  if (ownRole === null || !roleAllows(ownRole, CONSOLE_ROLES["members.invite"])) return [];
  return ROLES.filter((role) => roleAllows(ownRole, role));
}

async function userOf(db: Queryable, id: string) {
  const [user] = await db.query<{ is_operator: boolean }>(readUser, [id]);
  return user;
}

async function rolesOf(db: Queryable, userId: string): Promise<Map<string, Role>> {
  const rows = await db.query<{ id: string; role: Role }>(listMemberships, [userId]);
  return new Map(rows.map(({ id, role }) => [id, role]));
}
