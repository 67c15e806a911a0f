import { Problem } from "@longwave/contract";
import { Type } from "typebox";
import { recordForPerson } from "./audit.ts";
import { makeLink } from "./links.ts";
import { resetMail } from "./mail-templates.ts";
import { countLinkRequest } from "./network-lockout.ts";
import { type ConsoleDeps, type OwnRoute, open } from "./own-routes.ts";
import { requireSecureTransport } from "./session-request.ts";
import { emailKey, type UserRow } from "./sign-in.ts";
import { countResetLinks, findUserByEmail } from "./sql.ts";

/** Reset links per person within a link's lifetime, so that nobody can flood a mailbox. */
const LINKS_MAX = 3;
const LINKS_WINDOW_MS = 15 * 60_000;
/** Requests that were answered and whose mail is still to be sent. */
const PENDING_MAX = 20;

const ResetBody = Type.Object(
  { email: Type.String({ minLength: 3, maxLength: 254, pattern: "^[^\\s@]+@[^\\s@]+$" }) },
  { additionalProperties: false },
);

/**
 * Whether the installation mails reset links. Mailing needs a configured URL: a request's Host header is
 * untrusted, and the link must not lead there.
 */
export function mailsResets({ mailer, config }: ConsoleDeps): boolean {
  return mailer.isSetUp && config.publicUrl !== null;
}

let pending = 0;

/** Requests a reset link by mail. */
export const resetRoutes: readonly OwnRoute[] = [
  open<{ email: string }>("POST", "/reset", ResetBody, async ({ deps, exchange, body }) => {
    requireSecureTransport(deps.config, exchange.ip);
    if (!mailsResets(deps)) {
      throw new Problem(
        "invalid_state",
        "This installation mails no links. An admin of your account makes you one.",
      );
    }
    if (pending >= PENDING_MAX) {
      throw new Problem("rate_limited", "Many people ask for this right now. Try again shortly.", {
        headers: { "retry-after": "10" },
      });
    }
    await countLinkRequest(deps, exchange.ip);
    pending += 1;
    // The answer comes first: neither its content nor its timing reveals whether the email has a user.
    void mailLink(deps, body.email, exchange.ip)
      .catch((error: unknown) => deps.log.warn({ err: error }, "console: reset link not mailed"))
      .finally(() => {
        pending -= 1;
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
    const link = { kind: "reset", email: user.email, userId: user.id } as const;
    const { url } = await makeLink(deps, tx, link, origin);
    await recordForPerson(deps, tx, user.id, { action: "reset_link.created", ip });
    // Mails the stored address, however the request spelled it.
    return resetMail(user.email, url);
  });
  if (mail) await deps.mailer.send(mail);
}
