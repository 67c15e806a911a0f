import { CONFIRMED_MINUTES, formatTimestamp, Problem } from "@longwave/contract";
import { Type } from "typebox";
import type { Base } from "../../core/base.ts";
import { networkOf } from "../../http/exchange/client-address.ts";
import { recordForPerson } from "./audit.ts";
import { checkConfirmed } from "./mounts.ts";
import { withNetworkLockout } from "./network-lockout.ts";
import { setMailNotices } from "./notice-sql.ts";
import { type OwnRoute, ok, signedInBeforeSetup } from "./own-routes.ts";
import { checkPassword, hashPassword } from "./passwords.ts";
import { newRecoveryCodes } from "./recovery-codes.ts";
import { isSameHash } from "./session-request.ts";
import { comparePassword, hashRecoveryCode, lockCompared, type UserRow } from "./sign-in.ts";
import {
  consumeResetLinks,
  deleteOtherSessions,
  deleteSessionById,
  dropTotp,
  findUser,
  listSessions,
  setPassword,
  setRecoveryCodes,
  setTotp,
  setUserName,
} from "./sql.ts";
import { base32, otpauthUri, totpSecret, totpStepOf } from "./totp.ts";

const TOTP_SECRET_BYTES = 20;
const MINUTE_MS = 60_000;
const exact = { additionalProperties: false };
const Password = Type.String({ minLength: 1, maxLength: 500 });

const ProfileBody = Type.Object(
  {
    name: Type.Optional(Type.Union([Type.String({ maxLength: 120 }), Type.Null()])),
    mail_notices: Type.Optional(Type.Boolean()),
  },
  exact,
);
interface Profile {
  readonly name?: string | null;
  readonly mail_notices?: boolean;
}

interface SessionListRow {
  readonly id: string;
  readonly ip: string;
  readonly agent: string;
  readonly created_at: number;
  readonly used_at: number;
  readonly token_hash: Buffer;
}

/** Profile, sessions and second factor of the signed-in person. */
export const meRoutes: readonly OwnRoute[] = [
  signedInBeforeSetup<Profile>("PATCH", "/me", ProfileBody, async ({ deps, body }, session) => {
    const { name = session.name, mail_notices: notices = session.getsNotices } = body;
    await deps.db.tx(async (tx) => {
      await tx.query(setUserName, [session.userId, name?.trim() || null]);
      await tx.query(setMailNotices, [session.userId, notices]);
      await deps.sessions.changed(tx);
    });
    return ok({ object: "user", name, mail_notices: notices });
  }),

  signedInBeforeSetup("GET", "/me/sessions", null, async ({ deps }, session) => {
    const rows = await deps.db.query<SessionListRow>(listSessions, [session.userId]);
    const data = rows.map((row) => ({
      object: "console_session",
      id: row.id,
      ip: row.ip,
      agent: row.agent,
      created_at: formatTimestamp(row.created_at),
      used_at: formatTimestamp(row.used_at),
      current: isSameHash(row.token_hash, session.tokenHash),
    }));
    return ok({ data, has_more: false, next_cursor: null });
  }),

  signedInBeforeSetup(
    "DELETE",
    "/me/sessions/{id}",
    null,
    async ({ deps, params, exchange }, session) =>
      deps.db.tx(async (tx) => {
        const { id = "" } = params;
        const isId = /^[\da-f-]{36}$/.test(id);
        const ended = isId ? await tx.query(deleteSessionById, [id, session.userId]) : [];
        if (ended.length === 0) throw new Problem("not_found", "There is no such session.");
        await recordForPerson(deps, tx, session.userId, {
          action: "session.revoked",
          ip: exchange.ip,
        });
        await deps.sessions.changed(tx);
        return ok({ object: "console_session", id });
      }),
  ),

  signedInBeforeSetup<{ password: string; new_password: string }>(
    "POST",
    "/me/password",
    Type.Object({ password: Password, new_password: Password }, exact),
    async ({ deps, body, exchange }, session) => {
      checkPassword(body.new_password);
      const given = { email: session.email, password: body.password, ip: exchange.ip };
      const compared = await withNetworkLockout(deps, exchange.ip, () =>
        comparePassword(deps, given),
      );
      if ("problem" in compared) throw asPasswordFieldError(compared.problem);
      const hash = await hashPassword(body.new_password, networkOf(exchange.ip));
      return deps.db.tx(async (tx) => {
        const locked = await lockCompared(deps, tx, compared.user, exchange.ip);
        if ("problem" in locked) throw asPasswordFieldError(locked.problem);
        await tx.query(setPassword, [session.userId, hash]);
        // Signs the person out everywhere else.
        await tx.query(deleteOtherSessions, [session.userId, session.tokenHash]);
        await tx.query(consumeResetLinks, [session.userId, new Date(deps.clock.now())]);
        const happened = { action: "user.password_changed", ip: exchange.ip } as const;
        await recordForPerson(deps, tx, session.userId, happened);
        await deps.sessions.changed(tx);
        return ok({ object: "user" });
      });
    },
  ),

  signedInBeforeSetup("POST", "/me/totp", null, async ({ deps }, session) => {
    checkConfirmed(deps, session);
    const secret = deps.random.bytes(TOTP_SECRET_BYTES);
    // Nothing is stored until a code proves that the app has the secret; until then it travels sealed.
    const sealed = deps.secrets.encrypt(
      JSON.stringify([secret.toString("base64"), deps.clock.now()]),
      ["totp-setup", session.userId],
    );
    return ok({
      object: "totp_setup",
      secret: base32(secret),
      uri: otpauthUri(secret, session.email),
      setup: sealed.toString("base64url"),
    });
  }),

  signedInBeforeSetup<{ setup: string; code: string }>(
    "POST",
    "/me/totp/confirm",
    Type.Object(
      { setup: Type.String({ maxLength: 1_000 }), code: Type.String({ maxLength: 40 }) },
      exact,
    ),
    async ({ deps, body, exchange }, session) => {
      const secret = unsealTotpSecret(deps, body.setup, session.userId);
      const code = body.code.replaceAll(/\s/g, "");
      const step = totpStepOf(secret, code, deps.clock.now(), 0);
      if (step === null)
        throw new Problem(
          "invalid_request",
          "This code is wrong or too old. Take the one that the app shows now.",
          { param: "code" },
        );
      const codes = newRecoveryCodes(deps);
      await deps.db.tx(async (tx) => {
        await tx.query(setTotp, [
          session.userId,
          deps.secrets.encrypt(secret.toString("base64"), totpSecret(session.userId)),
          step,
          codes.map(hashRecoveryCode),
        ]);
        await tx.query(deleteOtherSessions, [session.userId, session.tokenHash]);
        const happened = { action: "user.totp_enabled", ip: exchange.ip } as const;
        await recordForPerson(deps, tx, session.userId, happened);
        await deps.sessions.changed(tx);
      });
      return ok({ object: "totp", enabled: true, recovery_codes: codes });
    },
  ),

  signedInBeforeSetup("POST", "/me/recovery-codes", null, async ({ deps, exchange }, session) => {
    checkConfirmed(deps, session);
    const codes = newRecoveryCodes(deps);
    await deps.db.tx(async (tx) => {
      const changed = await tx.query(setRecoveryCodes, [
        session.userId,
        codes.map(hashRecoveryCode),
      ]);
      if (changed.length === 0) {
        throw new Problem("invalid_state", "Set up a passkey or an authenticator app first.");
      }
      const happened = { action: "user.recovery_codes_renewed", ip: exchange.ip } as const;
      await recordForPerson(deps, tx, session.userId, happened);
    });
    return ok({ object: "recovery_codes", recovery_codes: codes });
  }),

  signedInBeforeSetup("DELETE", "/me/totp", null, async ({ deps, exchange }, session) => {
    checkConfirmed(deps, session);
    if (session.requiresFactor && !session.hasPasskeys) throw totpRequired();
    await deps.db.tx(async (tx) => {
      const [user] = await tx.query<UserRow>(findUser, [session.userId]);
      if (session.requiresFactor && !user?.has_passkeys) throw totpRequired();
      await tx.query(dropTotp, [session.userId]);
      // Enabling or disabling TOTP signs the person out everywhere else.
      await tx.query(deleteOtherSessions, [session.userId, session.tokenHash]);
      const happened = { action: "user.totp_disabled", ip: exchange.ip } as const;
      await recordForPerson(deps, tx, session.userId, happened);
      await deps.sessions.changed(tx);
    });
    return ok({ object: "totp", enabled: false });
  }),
];

function totpRequired(): Problem {
  return new Problem(
    "invalid_state",
    "This installation requires a second factor of you. Add a passkey first, or set up another app, which replaces this one.",
  );
}

/** Reports a wrong password as an error of the form's field; other problems pass unchanged. */
function asPasswordFieldError(problem: Problem): Problem {
  if (problem.code !== "invalid_credentials") return problem;
  return new Problem("invalid_request", "The present password is another one.", {
    param: "password",
  });
}

/** The secret of a TOTP setup, valid as long as the password confirmation that it needed. */
function unsealTotpSecret(
  { secrets, clock }: Pick<Base, "secrets" | "clock">,
  setup: string,
  userId: string,
): Buffer {
  try {
    const sealed = Buffer.from(setup, "base64url");
    const [secret, madeAtMs] = JSON.parse(secrets.decrypt(sealed, ["totp-setup", userId])) as [
      string,
      number,
    ];
    const isRecent = clock.now() - madeAtMs < CONFIRMED_MINUTES * MINUTE_MS;
    if (isRecent) return Buffer.from(secret, "base64");
  } catch {
    // Not sealed by this installation: refused below, like the secret of another user.
  }
  throw new Problem("invalid_request", "This setup is not known, or too old. Begin again.", {
    param: "setup",
  });
}
