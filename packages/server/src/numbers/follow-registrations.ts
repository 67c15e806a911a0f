/**
 * Brings the standing of an account's numbers in line with its registrations. Every change of a registration, every
 * purchase, every link and its result come one after the other for each account (`lockFollowers`): that is what keeps a
 * registration from holding more numbers than it may.
 */
import type { Base } from "../base.ts";
import type { AccountRef } from "../db/account-cache.ts";
import type { Tx } from "../db/database.ts";
import { enqueue } from "../queue/task.ts";
import { linkTask } from "./link-task.ts";
import { applyChanges } from "./move-senders.ts";
import { findFollowers } from "./registration-sql.ts";
import {
  type Follower,
  type RegistrationStanding,
  type Standing,
  standingsOf,
} from "./standing.ts";

/** `isNew`: a number that was bought in this transaction, of which nobody has heard yet. */
export async function followRegistrations(
  deps: Base,
  tx: Tx,
  account: AccountRef,
  registrations: readonly RegistrationStanding[],
  isNew: (numberId: string) => boolean = () => false,
): Promise<void> {
  const followers = await tx.query<Follower>(findFollowers, [account.id]);
  const linkId = deps.ids.make();
  const standings = standingsOf(followers, registrations, linkId);
  const changes = followers.flatMap((number) => {
    const standing = standings.get(number.id);
    return standing === undefined || isSame(number, standing) ? [] : [{ number, standing }];
  });
  await applyChanges(deps, tx, account, changes, isNew);
  if (!changes.some(({ standing }) => standing.link_id === linkId)) return;
  const owner = { shard: account.shard, accountId: account.id };
  const payload = { shard: account.shard, account_id: account.id, link_id: linkId };
  await enqueue(deps, tx, owner, linkTask, payload, deps.clock.now());
}

const FIELDS = [
  "registration_id",
  "sender_state",
  "sender_reason",
  "linked_to",
  "link_id",
  "link_failed_to",
] as const;

function isSame(number: Follower, standing: Standing): boolean {
  return FIELDS.every((field) => number[field] === standing[field]);
}
