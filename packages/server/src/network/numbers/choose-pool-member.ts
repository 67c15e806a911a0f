import type { Mode } from "@longwave/contract";
import type { AccountRef } from "../../core/db/driver/account-cache.ts";
import { assert } from "../../core/platform/assert.ts";
import { fromApiId } from "../../core/platform/ids.ts";
import type { NumbersDeps } from "./deps.ts";
import type { CachedPool } from "./directory.ts";
import type { Sender } from "./sender.ts";
import { findPoolChoice } from "./sql.ts";

export type PoolRefusal = "unknown" | "empty" | "wrong_mode";

const CHOICES_PER_POOL_MAX = 20_000;
const TRIES_MAX = 5;

export interface ChoiceOptions {
  /** False (a dry run): nothing is stored. */
  readonly remember: boolean;
  /**
   * Whether this recipient gets messages from a live member that is not active, such as an unregistered
   * one that messages a verified number. Absent: the recipient gets none.
   */
  readonly sendsUnregistered?: (member: Sender) => Promise<boolean>;
  /** Whether a carrier takes the member's messages now. A first choice prefers such members. */
  readonly hasCarrier?: (member: Sender) => boolean;
}

/**
 * The pool member that a recipient gets messages from: the stored one, or a first choice that is
 * then stored.
 */
export async function choosePoolMember(
  deps: NumbersDeps,
  account: AccountRef,
  poolApiId: string,
  mode: Mode,
  recipient: string,
  options: ChoiceOptions = { remember: true },
): Promise<Sender | PoolRefusal> {
  const id = fromApiId("pool", poolApiId);
  if (id === null) return "unknown";
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const pool = await deps.numbers.pools.find(account, id);
    if (!pool) return "unknown";
    const known = pool.byId.get(pool.choices.get(`${mode} ${recipient}`) ?? "");
    if (known) return known;
    if (pool.members.length === 0) return "empty";
    const members = pool.members.filter((member) => member.mode === mode);
    if (members.length === 0) return "wrong_mode";
    const candidate = firstChoice(members, recipient, options.hasCarrier);
    const choose = (await isRemembered(candidate, options)) ? makeChoice : readChoice;
    const chosen = await choose(deps, account, pool, candidate, recipient);
    if (chosen) return chosen;
    // The pool changed since it was read, or another process chose concurrently.
    deps.numbers.pools.forget(account.id);
  }
  assert(false, "a pool changed faster than a member of it could be chosen");
}

/** Stores a choice. Null when it has to be made again. */
async function makeChoice(
  deps: NumbersDeps,
  account: AccountRef,
  pool: CachedPool,
  candidate: Sender,
  recipient: string,
): Promise<Sender | null> {
  const chosen = await deps.numbers.choices.add({
    shard: account.shard,
    accountId: account.id,
    poolId: pool.id,
    mode: candidate.mode,
    recipient,
    candidateId: candidate.id,
  });
  const member = chosen === null ? undefined : pool.byId.get(chosen);
  if (!member) return null;
  if (pool.choices.size >= CHOICES_PER_POOL_MAX) pool.choices.clear();
  pool.choices.set(`${member.mode} ${recipient}`, member.id);
  return member;
}

/** The stored choice, or the one that would be stored. */
async function readChoice(
  deps: NumbersDeps,
  account: AccountRef,
  pool: CachedPool,
  candidate: Sender,
  recipient: string,
): Promise<Sender> {
  const key = [account.shard, account.id, pool.id, candidate.mode, recipient];
  const [row] = await deps.db.query<{ number_id: string }>(findPoolChoice, key);
  return (row && pool.byId.get(row.number_id)) ?? candidate;
}

/**
 * A member that can send, with a carrier that takes messages now, in the recipient's area code if
 * possible. Ties go to the highest hash of sender and recipient, which spreads recipients evenly and
 * is the same in every process.
 */
export function firstChoice(
  members: readonly Sender[],
  recipient: string,
  hasCarrier: (member: Sender) => boolean = () => true,
): Sender {
  const areaCode = recipient.slice(2, 5);
  let best: { member: Sender; rank: number; hash: number } | null = null;
  for (const member of members) {
    const rank =
      (canSend(member) ? 4 : 0) +
      (hasCarrier(member) ? 2 : 0) +
      (member.area_code === areaCode ? 1 : 0);
    const hash = hashOf(`${member.phone_number} ${recipient}`);
    if (!best || rank > best.rank || (rank === best.rank && hash > best.hash)) {
      best = { member, rank, hash };
    }
  }
  assert(best, "a choice needs members");
  return best.member;
}

function canSend(member: Sender): boolean {
  return !member.unpaid && (member.mode === "test" || member.sender_state === "active");
}

/** A member that cannot send is not stored: the caller refuses, and a later send chooses. */
async function isRemembered(member: Sender, options: ChoiceOptions): Promise<boolean> {
  if (!options.remember) return false;
  if (canSend(member)) return true;
  if (member.unpaid || options.sendsUnregistered === undefined) return false;
  return await options.sendsUnregistered(member);
}

/** FNV-1a with a final mix, so that numbers that differ in one digit get distant hashes. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
