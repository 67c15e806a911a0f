import type { Base } from "../../../core/base.ts";
import type { AccountRef } from "../../../core/db/driver/account-cache.ts";
import { findReference } from "../sql.ts";
import type { LinkAnswer, Registry } from "./registry.ts";

const CALL_MS_MAX = 20_000;
/** Concurrent registry calls. Without a registry, linking waits for nothing. */
const CALLS_AT_ONCE = 10;
const NUMBERS_AT_ONCE = 100;

/**
 * Links numbers to registrations with the registry. If the operator decides, linking needs no
 * call.
 */
export function createRegistryLinks(base: Base, registry: Registry | null) {
  const referenceOf = async (account: AccountRef, registrationId: string) => {
    const values = [account.shard, account.id, registrationId];
    const [row] = await base.db.query<{ registry_reference: string | null }>(findReference, values);
    return row?.registry_reference ?? null;
  };
  return {
    atOnce: registry === null ? NUMBERS_AT_ONCE : CALLS_AT_ONCE,
    async link(account: AccountRef, registrationId: string, phone: string): Promise<LinkAnswer> {
      const reference = registry && (await referenceOf(account, registrationId));
      if (!registry || reference === null) return { kind: "linked" };
      return await registry.link(reference, phone, AbortSignal.timeout(CALL_MS_MAX));
    },
    async unlink(account: AccountRef, registrationId: string, phone: string) {
      const reference = registry && (await referenceOf(account, registrationId));
      if (!registry || reference === null) return null;
      const answer = await registry.unlink(reference, phone, AbortSignal.timeout(CALL_MS_MAX));
      return answer.kind === "unavailable" ? answer.reason : null;
    },
  };
}
