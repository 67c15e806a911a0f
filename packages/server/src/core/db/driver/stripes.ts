/**
 * Accounts are hashed into stripes. All hot writes of a stripe go through one queue and one connection, so that its
 * transactions do not wait for each other's row locks.
 */
export const STRIPES = 64;

/** The stripe of an account (a UUID): its last 24 bits are random. */
export function stripeOf(accountId: string): number {
  return Number.parseInt(accountId.slice(-6), 16) % STRIPES;
}
