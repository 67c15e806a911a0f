import { Problem } from "@longwave/contract";
import { Type } from "typebox";
import { recordForPerson } from "./audit.ts";
import { makeLink } from "./links.ts";
import { resetMail } from "./mail-templates.ts";
import { countingAsks } from "./network-lockout.ts";
import { type ConsoleDeps, type OwnRoute, open } from "./own-routes.ts";
import { checkSafeLine } from "./session-request.ts";
import { emailKey, type UserRow } from "./sign-in.ts";
import { countResetLinks, findUserByEmail } from "./sql.ts";

/** Links that one person is mailed in the time that a link is good for: nobody fills their mailbox. */
const LINKS_MAX = 3;
const LINKS_WINDOW_MS = 15 * 60_000;
/** Answered, and not looked up yet. */
const ASKED_MAX = 20;

const ResetBody = Type.Object(
  { email: Type.String({ minLength: 3, maxLength: 254, pattern: "^[^\\s@]+@[^\\s@]+$" }) },
  { additionalProperties: false },
);

/**
 * Whether people who forgot their password get a link by mail. The link leads to the address that was
 * configured: the host that a request names is anybody's choice, and the link must not lead there.
 */
export function mailsResets({ mailer, config }: ConsoleDeps): boolean {
  return mailer.isSetUp && config.publicUrl !== null;
}

let asked = 0;

/** Who forgot their password asks for a link. */
export const resetRoutes: readonly OwnRoute[] = [
  open<{ email: string }>("POST", "/reset", ResetBody, async ({ deps, exchange, body }) => {
    checkSafeLine(deps.config, exchange.ip);
    if (!mailsResets(deps)) {
      throw new Problem(
        "invalid_state",
        "This installation mails no links. An admin of your account makes you one.",
      );
    }
    if (asked >= ASKED_MAX) {
      throw new Problem("rate_limited", "Many people ask for this right now. Try again shortly.", {
        headers: { "retry-after": "10" },
      });
    }
    await countingAsks(deps, exchange.ip);
    asked += 1;
    // The answer comes first: neither its words nor its time tell whether anybody has this email.
    void mailLink(deps, body.email, exchange.ip)
      .catch((error: unknown) => deps.log.warn({ err: error }, "a link was not mailed"))
      .finally(() => {
        asked -= 1;
      });
    return { status: 202, body: { object: "reset_request" } };
  }),
];

async function mailLink(deps: ConsoleDeps, email: string, ip: string): Promise<void> {
  const origin = deps.config.publicUrl;
  if (origin === null) return;
  const mail = await deps.db.tx(async (tx) => {
    const [user] = await tx.query<UserRow>(findUserByEmail, [emailKey(email)]);
    if (!user) return null;
    const since = new Date(deps.clock.now() - LINKS_WINDOW_MS);
    const [made] = await tx.query<{ links: number }>(countResetLinks, [user.id, since]);
    if ((made?.links ?? 0) >= LINKS_MAX) return null;
    const wanted = { kind: "reset", email: user.email, userId: user.id } as const;
    const { url } = await makeLink(deps, tx, wanted, origin);
    await recordForPerson(deps, tx, user.id, { action: "reset_link.created", ip });
    // To the address that we know, however this one was written.
    return resetMail(user.email, url);
  });
  if (mail) await deps.mailer.send(mail);
}
