import type { Role } from "@longwave/contract";
import { countInvitationMail } from "../../account/accounts/index.ts";
import type { Actor } from "../../account/audit/index.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import type { AccountRow } from "../../http/api/caller.ts";
import { recordForAccount } from "./audit.ts";
import type { OperatorPeopleDeps } from "./deps.ts";
import { makeLink } from "./links.ts";
import { invitationMail } from "./mail-templates.ts";
import { emailKey } from "./sign-in.ts";

export interface Invitation {
  readonly id: string;
  readonly url: string;
  readonly expiresAtMs: number;
}

interface Invite {
  readonly account: AccountRow;
  readonly email: string;
  readonly role: Role;
  readonly actor: Actor;
  /** User who makes the invitation; null for the operator token. */
  readonly makerId: string | null;
  /** Origin of the link. */
  readonly origin: string;
  readonly ip: string;
}

/** Makes an invitation and records it in the account's audit log. */
export async function invite(deps: OperatorPeopleDeps, tx: Tx, given: Invite): Promise<Invitation> {
  const { account, email, role } = given;
  const link = { kind: "invitation", email, accountId: account.id, role } as const;
  const made = await makeLink(deps, tx, { ...link, createdBy: given.makerId }, given.origin);
  await recordForAccount(deps, tx, account.id, {
    action: "member.invited",
    actor: given.actor,
    targetId: made.id,
    changes: { email, role },
    ip: given.ip,
  });
  return made;
}

/**
 * Mails an invitation where a mail server is set up, within the daily limits of the account and the address.
 * False when the inviter has to deliver the link.
 */
export async function mailInvitation(
  { mailer, db, clock }: OperatorPeopleDeps,
  account: AccountRow,
  email: string,
  url: string,
): Promise<boolean> {
  if (!mailer.isSetUp) return false;
  if (!(await countInvitationMail(db, account, emailKey(email), clock.now()))) return false;
  return mailer.send(invitationMail(email, account.name, url));
}
