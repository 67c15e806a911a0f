import { NAME_CHARS_MAX, Problem, SingleLine } from "@longwave/contract";
import { Type } from "typebox";
import { changeAccount } from "../../account/accounts/index.ts";
import type { Queryable, Tx } from "../../core/db/driver/database.ts";
import { lockInstallation } from "../../core/installation.ts";
import { toApiId } from "../../core/platform/ids.ts";
import { requireNotBlank } from "../../http/api/parse-fields.ts";
import { networkOf } from "../../http/exchange/client-address.ts";
import { recordForAccount, recordForPerson, userActor } from "./audit.ts";
import { consumeLink, lockLink, lookUpLink } from "./links.ts";
import { withNetworkLockout } from "./network-lockout.ts";
import {
  lacksSecondFactor,
  type OwnRoute,
  ok,
  open,
  type SessionRequest,
  sessionOf,
  signedInBeforeSetup,
} from "./own-routes.ts";
import { checkPassword, hashPassword } from "./passwords.ts";
import { mailsResets } from "./reset-routes.ts";
import { cookieHeader, requireSecureTransport } from "./session-request.ts";
import type { Session } from "./sessions.ts";
import { codeRequired, emailKey, guessKey, hasFactor, signIn, type UserRow } from "./sign-in.ts";
import {
  clearMisses,
  consumeFirstLinks,
  consumeResetLinks,
  countUsers,
  deleteOtherSessions,
  deleteSession,
  describeLink,
  findUser,
  insertUser,
  lockUser,
  markUserSeen,
  readUserByEmail,
  setPassword,
  upsertMembership,
} from "./sql.ts";

const Email = Type.String({ minLength: 3, maxLength: 254, pattern: "^[^\\s@]+@[^\\s@]+$" });
const Password = Type.String({ minLength: 1, maxLength: 500 });
const Token = Type.String({ minLength: 43, maxLength: 43, pattern: "^[\\w-]+$" });
const exact = { additionalProperties: false };

const SignInBody = Type.Object(
  { email: Email, password: Password, code: Type.Optional(Type.String({ maxLength: 40 })) },
  exact,
);
const OpenBody = Type.Object({ token: Token }, exact);
const RedeemBody = Type.Object(
  {
    token: Token,
    email: Type.Optional(Email),
    name: Type.Optional(Type.String({ maxLength: 120 })),
    /** New name of the first account. */
    account_name: Type.Optional(SingleLine({ minLength: 1, maxLength: NAME_CHARS_MAX })),
    password: Password,
  },
  exact,
);

/** Sign-in, sign-out, and redeeming links. */
export const sessionRoutes: readonly OwnRoute[] = [
  open("GET", "/session", null, async ({ deps, exchange }) => {
    const session = await sessionOf(deps, exchange);
    const features = {
      reset_by_mail: mailsResets(deps),
      billing: deps.config.billing === "on",
    };
    if (session) return ok({ ...presentSession(session), needs_first_user: false, features });
    const [row] = await deps.db.query<{ users: number }>(countUsers, []);
    const nobody = { object: "session", user: null, accounts: [] };
    return ok({ ...nobody, needs_first_user: row?.users === 0, features });
  }),

  open<{ email: string; password: string; code?: string }>(
    "POST",
    "/sign-in",
    SignInBody,
    async (request) => {
      const { deps, exchange, body } = request;
      requireSecureTransport(deps.config, exchange.ip);
      const outcome = await withNetworkLockout(deps, exchange.ip, () =>
        signIn(deps, { ...body, ip: exchange.ip }, (tx, user) =>
          beginSession(request, tx, user.id),
        ),
      );
      if ("problem" in outcome) throw outcome.problem;
      if ("needsCode" in outcome) return ok(codeRequired(outcome));
      return ok(
        { object: "sign_in", code_required: false },
        cookieHeader(deps.config, outcome.begun),
      );
    },
  ),

  signedInBeforeSetup("DELETE", "/session", null, async ({ deps }, session) => {
    await deps.db.tx(async (tx) => {
      await tx.query(markUserSeen, [session.userId, new Date(deps.clock.now())]);
      await tx.query(deleteSession, [session.tokenHash]);
      await deps.sessions.changed(tx);
    });
    return ok({ object: "session", user: null }, cookieHeader(deps.config, null));
  }),

  open<{ token: string }>("POST", "/links/open", OpenBody, async ({ deps, exchange, body }) => {
    const link = await lookUpLink(deps, exchange.ip, body.token);
    const is_known = link.email !== null && (await isEmailTaken(deps.db, link.email));
    const [about] = await deps.db.query<LinkOrigin>(describeLink, [link.id]);
    return ok({
      object: "link",
      kind: link.kind,
      email: link.email,
      is_known,
      role: link.role,
      account_name: about?.account_name ?? null,
      invited_by: about?.invited_by ?? null,
    });
  }),

  open<Redeemed>("POST", "/links/redeem", RedeemBody, redeem),
];

export async function beginSession(
  { deps, exchange }: SessionRequest<unknown>,
  tx: Tx,
  userId: string,
): Promise<string> {
  const agent = exchange.request.headers["user-agent"] ?? "";
  const token = await deps.sessions.begin(tx, userId, { ip: exchange.ip, agent });
  await recordForPerson(deps, tx, userId, { action: "session.opened", ip: exchange.ip });
  return token;
}

interface Redeemed {
  readonly token: string;
  readonly email?: string;
  readonly name?: string;
  readonly account_name?: string;
  readonly password: string;
}

/** Account and maker of a link, for the person who opens it. */
interface LinkOrigin {
  readonly account_name: string | null;
  /** Name or email of the member who invites; null for the operator's token and the command line. */
  readonly invited_by: string | null;
}

/** Redeems a link: creates its user or sets a new password, then signs in. */
async function redeem(request: SessionRequest<Redeemed>) {
  const { deps, exchange, body } = request;
  requireSecureTransport(deps.config, exchange.ip);
  checkPassword(body.password);
  const found = await lookUpLink(deps, exchange.ip, body.token);
  if (found.user_id === null && (await isEmailTaken(deps.db, emailFor(found, body))))
    throw passwordExists();
  const hash = await hashPassword(body.password, networkOf(exchange.ip));
  const token = await deps.db.tx(async (tx): Promise<string | null> => {
    // Lock order: installation before link, as everywhere.
    if (found.kind === "first") await tx.query(lockInstallation, []);
    if (found.user_id !== null) await tx.query(lockUser, [found.user_id]);
    const link = await lockLink(deps, tx, body.token);
    const userId = link.user_id ?? (await newUser(request, tx, link, hash));
    await nameFirstAccount(request, tx, link, userId);
    if (link.kind === "first") await tx.query(consumeFirstLinks, [new Date(deps.clock.now())]);
    if (link.kind === "reset") await newPassword(request, tx, { userId, hash, email: link.email });
    await consumeLink(deps, tx, body.token);
    await deps.sessions.changed(tx);
    const [user] = await tx.query<UserRow>(findUser, [userId]);
    // With a second factor, a new password alone does not sign in.
    if (user && hasFactor(user)) return null;
    return beginSession(request, tx, userId);
  });
  if (token === null) return ok({ object: "sign_in", code_required: true });
  return ok({ object: "sign_in", code_required: false }, cookieHeader(deps.config, token));
}

async function newPassword(
  { deps, exchange }: SessionRequest<Redeemed>,
  tx: Tx,
  { userId, hash, email }: { userId: string; hash: string; email: string | null },
): Promise<void> {
  await tx.query(setPassword, [userId, hash]);
  await tx.query(clearMisses, [guessKey(email ?? "", exchange.ip)]);
  await tx.query(deleteOtherSessions, [userId, Buffer.alloc(32)]);
  await tx.query(consumeResetLinks, [userId, new Date(deps.clock.now())]);
  await recordForPerson(deps, tx, userId, { action: "user.password_changed", ip: exchange.ip });
}

type Link = Awaited<ReturnType<typeof lockLink>>;

/** Email of the user that a link creates. */
function emailFor(link: Link, body: Redeemed): string {
  const email = (link.email ?? body.email ?? "").trim();
  if (email !== "") return email;
  throw new Problem("invalid_request", "Give the email that you will sign in with.", {
    param: "email",
  });
}

async function isEmailTaken(db: Queryable, email: string): Promise<boolean> {
  return (await db.query(readUserByEmail, [emailKey(email)])).length > 0;
}

/** A user with a password accepts an invitation by signing in; their password stays as it is. */
function passwordExists(): Problem {
  return new Problem(
    "already_exists",
    "Somebody signs in with this email already. Sign in, and open the link again.",
    { param: "email" },
  );
}

/** Creates the user and, for first-run links and invitations, the membership. */
async function newUser(
  request: SessionRequest<Redeemed>,
  tx: Tx,
  link: Link,
  hash: string,
): Promise<string> {
  const { deps, exchange, body } = request;
  const email = emailFor(link, body);
  const now = deps.clock.now();
  const id = deps.ids.makeAt(now);
  const name = body.name?.trim() || null;
  const isFirst = link.kind === "first";
  const made = await tx.query(insertUser, [
    id,
    email,
    emailKey(email),
    name,
    hash,
    isFirst,
    new Date(now),
  ]);
  if (made.length === 0) throw passwordExists();
  if (link.account_id !== null && link.role !== null) {
    await tx.query(upsertMembership, [link.account_id, id, link.role, new Date(now)]);
    await recordForAccount(deps, tx, link.account_id, {
      action: "member.joined",
      actor: userActor({ userId: id, name, email }),
      targetId: toApiId("user", id),
      changes: { role: link.role, email },
      ip: exchange.ip,
    });
  }
  return id;
}

/** The first person names the account, whose name begins its automatic replies. */
async function nameFirstAccount(
  { deps, exchange, body }: SessionRequest<Redeemed>,
  tx: Tx,
  link: Link,
  userId: string,
): Promise<void> {
  if (body.account_name === undefined) return;
  const name = body.account_name.trim();
  requireNotBlank(name, "account_name");
  if (link.kind !== "first" || link.account_id === null) {
    throw new Problem(
      "invalid_request",
      "Only the first link of an installation names an account.",
      {
        param: "account_name",
      },
    );
  }
  const actor = userActor({ userId, name: body.name?.trim() || null, email: emailFor(link, body) });
  await changeAccount(deps, tx, link.account_id, { name }, { actor, ip: exchange.ip });
}

function presentSession(session: Session) {
  const memberships = lacksSecondFactor(session) ? [] : session.memberships;
  return {
    object: "session",
    user: {
      id: toApiId("user", session.userId),
      email: session.email,
      name: session.name,
      totp_enabled: session.hasTotp,
      passkeys_enabled: session.hasPasskeys,
      second_factor_required: session.requiresFactor,
      mail_notices: session.getsNotices,
      operator: session.isOperator,
    },
    accounts: memberships.map(({ role, account, isVisit }) => ({
      id: toApiId("account", account.id),
      name: account.name,
      status: account.status,
      live_access: account.live_access,
      role,
      visited: isVisit,
    })),
  };
}
