import { Problem } from "@longwave/contract";
import { Type } from "typebox";
import { toApiId } from "../platform/ids.ts";
import { countingMisses } from "./addresses.ts";
import { openLink, spendLink } from "./links.ts";
import { type OwnRoute, ok, open, sessionOf, signedIn, type Visit } from "./own-routes.ts";
import { checkPassword, hashPassword } from "./passwords.ts";
import { mailsResets } from "./reset-routes.ts";
import type { Session } from "./sessions.ts";
import { emailKey, signIn, type UserRow } from "./sign-in.ts";
import {
  countUsers,
  deleteOtherSessions,
  deleteSession,
  findUser,
  findUserByEmail,
  insertUser,
  setPassword,
  spendResetLinks,
  upsertMembership,
} from "./sql.ts";
import { recordForAccount, recordForPerson, userActor } from "./trail.ts";
import { checkSafeLine, cookieHeader } from "./visitor.ts";

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
    password: Password,
  },
  exact,
);

/** Coming in and going out. */
export const sessionRoutes: readonly OwnRoute[] = [
  open("GET", "/session", null, async ({ deps, exchange }) => {
    const session = await sessionOf(deps, exchange);
    const features = { reset_by_mail: mailsResets(deps) };
    if (session) return ok({ ...presentSession(session), needs_first_user: false, features });
    const [row] = await deps.db.query<{ users: number }>(countUsers, []);
    const nobody = { object: "session", user: null, accounts: [] };
    return ok({ ...nobody, needs_first_user: row?.users === 0, features });
  }),

  open<{ email: string; password: string; code?: string }>(
    "POST",
    "/sign-in",
    SignInBody,
    async (visit) => {
      const { deps, exchange, body } = visit;
      checkSafeLine(deps.config, exchange.ip);
      const outcome = await countingMisses(deps, exchange.ip, () =>
        signIn(deps, { ...body, ip: exchange.ip }, (tx, user) => begin(visit, tx, user.id)),
      );
      if ("problem" in outcome) throw outcome.problem;
      if ("needsCode" in outcome) return ok({ object: "sign_in", code_required: true });
      return ok(
        { object: "sign_in", code_required: false },
        cookieHeader(deps.config, outcome.begun),
      );
    },
  ),

  signedIn("DELETE", "/session", null, async ({ deps }, session) => {
    await deps.db.tx(async (tx) => {
      await tx.query(deleteSession, [session.tokenHash]);
      await deps.sessions.changed(tx);
    });
    return ok({ object: "session", user: null }, cookieHeader(deps.config, null));
  }),

  open<{ token: string }>("POST", "/links/open", OpenBody, async ({ deps, body }) =>
    deps.db.tx(async (tx) => {
      const link = await openLink(deps, tx, body.token);
      const key = link.email === null ? null : emailKey(link.email);
      const [known] = key === null ? [] : await tx.query(findUserByEmail, [key]);
      const is_known = known !== undefined;
      return ok({ object: "link", kind: link.kind, email: link.email, is_known });
    }),
  ),

  open<Redeemed>("POST", "/links/redeem", RedeemBody, redeem),
];

type Tx = Parameters<Parameters<Visit<unknown>["deps"]["db"]["tx"]>[0]>[0];

async function begin({ deps, exchange }: Visit<unknown>, tx: Tx, userId: string): Promise<string> {
  const agent = exchange.request.headers["user-agent"] ?? "";
  const token = await deps.sessions.begin(tx, userId, { ip: exchange.ip, agent });
  await recordForPerson(deps, tx, userId, { action: "session.opened", ip: exchange.ip });
  return token;
}

interface Redeemed {
  readonly token: string;
  readonly email?: string;
  readonly name?: string;
  readonly password: string;
}

/** A link makes its person, or gives them a new password, and signs them in. */
async function redeem(visit: Visit<Redeemed>) {
  const { deps, exchange, body } = visit;
  checkSafeLine(deps.config, exchange.ip);
  checkPassword(body.password);
  const hash = await hashPassword(body.password);
  const token = await deps.db.tx(async (tx): Promise<string | null> => {
    const link = await openLink(deps, tx, body.token);
    const userId = link.user_id ?? (await newUser(visit, tx, link, hash));
    if (link.kind === "reset") {
      await tx.query(setPassword, [userId, hash]);
      await tx.query(deleteOtherSessions, [userId, Buffer.alloc(32)]);
      await tx.query(spendResetLinks, [userId, new Date(deps.clock.now())]);
      await recordForPerson(deps, tx, userId, {
        action: "user.password_changed",
        ip: exchange.ip,
      });
    }
    await spendLink(deps, tx, body.token);
    await deps.sessions.changed(tx);
    const [user] = await tx.query<UserRow>(findUser, [userId]);
    // A new password is half of what gets them in: the other half is still asked for.
    if (user?.totp_secret) return null;
    return begin(visit, tx, userId);
  });
  if (token === null) return ok({ object: "sign_in", code_required: true });
  return ok({ object: "sign_in", code_required: false }, cookieHeader(deps.config, token));
}

type Link = Awaited<ReturnType<typeof openLink>>;

/** Makes the person, and for a first or invitation link their place in the account. */
async function newUser(visit: Visit<Redeemed>, tx: Tx, link: Link, hash: string): Promise<string> {
  const { deps, exchange, body } = visit;
  const email = (link.email ?? body.email ?? "").trim();
  if (email === "") {
    throw new Problem("invalid_request", "Give the email that you will sign in with.", {
      param: "email",
    });
  }
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
  if (made.length === 0) {
    // They have a console already: an invitation then only adds the account, and keeps their password.
    const [known] = await tx.query<{ id: string }>(findUserByEmail, [emailKey(email)]);
    throw new Problem(
      "already_exists",
      known
        ? "Somebody signs in with this email already. Sign in, and open the link again."
        : "Try again.",
      { param: "email" },
    );
  }
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

function presentSession(session: Session) {
  return {
    object: "session",
    user: {
      id: toApiId("user", session.userId),
      email: session.email,
      name: session.name,
      totp_enabled: session.hasTotp,
      operator: session.isOperator,
    },
    accounts: session.memberships.map(({ role, account, isVisit }) => ({
      id: toApiId("account", account.id),
      name: account.name,
      status: account.status,
      live_access: account.live_access,
      role,
      visited: isVisit,
    })),
  };
}
