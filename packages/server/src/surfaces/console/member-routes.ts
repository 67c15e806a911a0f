import {
  type AuditAction,
  CONFIRMED_ACTIONS,
  formatTimestamp,
  Problem,
  RESET_MAILS_PER_USER_DAY_MAX,
  ROLES,
  type Role,
  roleAllows,
  StringEnum,
} from "@longwave/contract";
import { Type } from "typebox";
import { countResetMail } from "../../account/accounts/index.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import { nextDayMs } from "../../core/platform/clock.ts";
import { fromApiId, toApiId } from "../../core/platform/ids.ts";
import { recordForAccount, userActor } from "./audit.ts";
import { invite, mailInvitation } from "./invite.ts";
import { mayReset, rolesToGive } from "./link-permissions.ts";
import { makeLink, ownOrigin } from "./links.ts";
import { resetMail } from "./mail-templates.ts";
import { checkAction, checkConfirmed, membershipOf } from "./mounts.ts";
import {
  type ConsoleDeps,
  type OwnRoute,
  ok,
  type SessionRequest,
  signedIn,
} from "./own-routes.ts";
import type { Membership, Session } from "./sessions.ts";
import {
  consumeLinksOfRole,
  deleteInvitation,
  deleteMembership,
  findMembership,
  listInvitations,
  listMembers,
  lockOwners,
  upsertMembership,
} from "./sql.ts";

const exact = { additionalProperties: false };
const RoleName = StringEnum(ROLES);
const InviteBody = Type.Object(
  {
    email: Type.String({ minLength: 3, maxLength: 254, pattern: "^[^\\s@]+@[^\\s@]+$" }),
    role: RoleName,
  },
  exact,
);
const RoleBody = Type.Object({ role: RoleName }, exact);

interface MemberRow {
  readonly role: Role;
  readonly created_at: number;
  readonly user_id: string;
  readonly email: string;
  readonly name: string | null;
  readonly seen_at: number | null;
  readonly second_factor: boolean;
}

interface InvitationRow {
  readonly id: string;
  readonly email: string;
  readonly role: Role;
  readonly created_at: number;
  readonly expires_at: number;
}

/** Members and invitations of an account. */
export const memberRoutes: readonly OwnRoute[] = [
  signedIn("GET", "/{account}/members", null, async ({ deps, params }, session) => {
    const membership = membershipIn(deps, session, params, "members.list");
    const rows = await deps.db.query<MemberRow>(listMembers, [membership.account.id]);
    const now = new Date(deps.clock.now());
    const invitations = await deps.db.query<InvitationRow>(listInvitations, [
      membership.account.id,
      now,
    ]);
    return ok({
      data: rows.map(presentMember),
      invitations: invitations.map(presentInvitation),
      has_more: false,
      next_cursor: null,
    });
  }),

  signedIn<{ email: string; role: Role }>(
    "POST",
    "/{account}/invitations",
    InviteBody,
    async (request, session) => {
      const { deps, params, body, exchange } = request;
      const membership = membershipIn(deps, session, params, "members.invite");
      checkRank(membership, body.role);
      const { account } = membership;
      const email = body.email.trim();
      const link = await deps.db.tx((tx) =>
        invite(deps, tx, {
          ...{ account, email, role: body.role, ip: exchange.ip },
          actor: userActor(session),
          makerId: session.userId,
          origin: originOf(request),
        }),
      );
      const mailed = await mailInvitation(deps, account, email, link.url);
      return {
        status: 201,
        body: {
          object: "invitation",
          id: link.id,
          email: body.email,
          role: body.role,
          url: link.url,
          mailed,
          expires_at: formatTimestamp(link.expiresAtMs),
        },
      };
    },
  ),

  signedIn("DELETE", "/{account}/invitations/{id}", null, async ({ deps, params }, session) => {
    const membership = membershipIn(deps, session, params, "members.invite");
    const { id = "" } = params;
    const gone = /^[\da-f-]{36}$/.test(id)
      ? await deps.db.query(deleteInvitation, [membership.account.id, id])
      : [];
    if (gone.length === 0) throw new Problem("not_found", "There is no such invitation.");
    return ok({ object: "invitation", id });
  }),

  signedIn<{ role: Role }>(
    "PATCH",
    "/{account}/members/{id}",
    RoleBody,
    async (request, session) => {
      const membership = membershipIn(request.deps, session, request.params, "members.update");
      const { role } = request.body;
      checkRank(membership, role);
      return change(request, session, membership, async (tx, member) => {
        await tx.query(upsertMembership, [
          membership.account.id,
          member.user_id,
          role,
          new Date(request.deps.clock.now()),
        ]);
        return {
          action: "member.role_changed",
          changes: { role: { from: member.role, to: role } },
          role,
        };
      });
    },
  ),

  signedIn("DELETE", "/{account}/members/{id}", null, async (request, session) => {
    const membership = membershipIn(request.deps, session, request.params, "members.remove");
    return change(request, session, membership, async (tx, member) => {
      await tx.query(deleteMembership, [membership.account.id, member.user_id]);
      return {
        action: "member.removed",
        changes: { role: member.role, email: member.email },
        role: member.role,
      };
    });
  }),

  signedIn("POST", "/{account}/members/{id}/reset-link", null, async (request, session) => {
    const { deps, exchange } = request;
    const membership = membershipIn(request.deps, session, request.params, "members.reset");
    const { link, email } = await deps.db.tx(async (tx) => {
      const member = await memberOf(tx, membership, request.params);
      checkRank(membership, member.role);
      if (!(await mayReset(tx, session.userId, member.user_id))) throw belongsElsewhere();
      const isFree =
        !deps.mailer.isSetUp || (await countResetMail(tx, member.user_id, deps.clock.now()));
      if (!isFree) throw mailedOften(member.email, deps.clock.now());
      const newLink = {
        kind: "reset",
        email: member.email,
        userId: member.user_id,
        createdBy: session.userId,
      } as const;
      const made = await makeLink(deps, tx, newLink, originOf(request));
      await recordForAccount(deps, tx, membership.account.id, {
        action: "reset_link.created",
        actor: userActor(session),
        targetId: toApiId("user", member.user_id),
        ip: exchange.ip,
      });
      return { link: made, email: member.email };
    });
    const mailed = deps.mailer.isSetUp;
    if (mailed && !(await deps.mailer.send(resetMail(email, link.url)))) throw mailFailed();
    return {
      status: 201,
      body: {
        object: "reset_link",
        // With mail set up, only the person sees the link.
        url: mailed ? null : link.url,
        mailed,
        expires_at: formatTimestamp(link.expiresAtMs),
      },
    };
  }),
];

function membershipIn(
  deps: ConsoleDeps,
  session: Session,
  params: Readonly<Record<string, string>>,
  action: Parameters<typeof checkAction>[1],
): Membership {
  const { account = "" } = params;
  const membership = membershipOf(session, account);
  checkAction(membership, action);
  if (CONFIRMED_ACTIONS.has(action)) checkConfirmed(deps, session);
  return membership;
}

/** Nobody may grant, change or remove a role above their own. */
function checkRank(membership: Membership, role: Role): void {
  if (roleAllows(membership.role, role)) return;
  throw new Problem("insufficient_role", `Only somebody with the role ${role} can do this.`, {
    extra: { required_role: role },
  });
}

function belongsElsewhere(): Problem {
  return new Problem(
    "insufficient_role",
    "They belong to other accounts, or run the installation: its operator makes the link.",
    { extra: { required_role: "operator" } },
  );
}

function mailedOften(email: string, nowMs: number): Problem {
  const seconds = Math.ceil((nextDayMs(nowMs) - nowMs) / 1_000);
  return new Problem(
    "rate_limited",
    `${email} has had ${RESET_MAILS_PER_USER_DAY_MAX} mails with a link today. Ask them to look for those, or try again tomorrow (UTC).`,
    { headers: { "retry-after": String(seconds) } },
  );
}

function mailFailed(): Problem {
  return new Problem(
    "unavailable",
    "The mail server did not take the mail with the link. Try again in a minute, or ask the operator to look at LONGWAVE_SMTP_URL and the log.",
    { headers: { "retry-after": "60" } },
  );
}

interface Member {
  readonly role: Role;
  readonly user_id: string;
  readonly email: string;
  readonly name: string | null;
  readonly is_operator: boolean;
}

async function memberOf(
  tx: Tx,
  { account }: Membership,
  params: Readonly<Record<string, string>>,
): Promise<Member> {
  const { id = "" } = params;
  const uuid = fromApiId("user", id);
  const [member] = uuid ? await tx.query<Member>(findMembership, [account.id, uuid]) : [];
  if (!member) throw new Problem("not_found", "There is no such member.");
  return member;
}

type Change = (
  tx: Tx,
  member: Member,
) => Promise<{ action: AuditAction; changes: Record<string, unknown>; role: Role }>;

/** Changes a member. The account always keeps one owner. */
async function change(
  request: SessionRequest<unknown>,
  session: Session,
  membership: Membership,
  work: Change,
) {
  const { deps, exchange } = request;
  const { account } = membership;
  return deps.db.tx(async (tx) => {
    const owners = await tx.query<{ user_id: string }>(lockOwners, [account.id]);
    const member = await memberOf(tx, membership, request.params);
    checkRank(membership, member.role);
    const done = await work(tx, member);
    const isLastOwner = owners.length === 1 && owners[0]?.user_id === member.user_id;
    if (isLastOwner && (done.action === "member.removed" || done.role !== "owner")) {
      throw new Problem(
        "invalid_state",
        "An account keeps one owner. Make somebody else an owner first.",
      );
    }
    const isMember = done.action !== "member.removed";
    await tx.query(consumeLinksOfRole, [
      member.user_id,
      new Date(deps.clock.now()),
      account.id,
      rolesToGive(isMember ? done.role : null),
    ]);
    await recordForAccount(deps, tx, account.id, {
      action: done.action,
      actor: userActor(session),
      targetId: toApiId("user", member.user_id),
      changes: done.changes,
      ip: exchange.ip,
    });
    await deps.sessions.changed(tx);
    return ok({ object: "member", id: toApiId("user", member.user_id), role: done.role });
  });
}

/**
 * Origin of links: the configured URL, else the request's host. The host is untrusted, so a link that may be mailed
 * never leads there.
 */
function originOf({
  deps,
  exchange,
}: {
  deps: ConsoleDeps;
  exchange: SessionRequest<unknown>["exchange"];
}): string {
  if (deps.mailer.isSetUp) return ownOrigin(deps.config);
  return deps.config.publicUrl ?? `http://${exchange.request.headers.host}`;
}

function presentMember(row: MemberRow) {
  return {
    object: "member",
    id: toApiId("user", row.user_id),
    email: row.email,
    name: row.name,
    role: row.role,
    second_factor: row.second_factor,
    seen_at: row.seen_at === null ? null : formatTimestamp(row.seen_at),
    created_at: formatTimestamp(row.created_at),
  };
}

function presentInvitation(row: InvitationRow) {
  return {
    object: "invitation",
    id: row.id,
    email: row.email,
    role: row.role,
    created_at: formatTimestamp(row.created_at),
    expires_at: formatTimestamp(row.expires_at),
  };
}
