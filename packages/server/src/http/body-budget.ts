import { Problem } from "@longwave/contract";

/** How many bytes of bodies a process holds at a time, in all and for one account. */
export interface BodyBudget {
  /** For the body of one request. Whoever takes bytes gives them back, whatever becomes of it. */
  open(accountId: string | null): BodyBytes;
}

export interface BodyBytes {
  /** Takes so many bytes more; throws 429 or 503 when there are none left. */
  take(bytes: number): void;
  release(): void;
}

const ACCOUNT_PART = 4;
const RETRY_AFTER = { headers: { "retry-after": "1" } };

export function createBodyBudget(processBytesMax: number): BodyBudget {
  const accountBytesMax = Math.floor(processBytesMax / ACCOUNT_PART);
  const held = new Map<string, number>();
  let heldInAll = 0;
  return {
    open(accountId) {
      let taken = 0;
      const change = (bytes: number) => {
        taken += bytes;
        heldInAll += bytes;
        if (accountId === null) return;
        const left = (held.get(accountId) ?? 0) + bytes;
        if (left === 0) held.delete(accountId);
        else held.set(accountId, left);
      };
      return {
        take(bytes) {
          const ofAccount = accountId === null ? 0 : (held.get(accountId) ?? 0);
          if (accountId !== null && ofAccount + bytes > accountBytesMax) {
            throw new Problem(
              "rate_limited",
              "This account is sending too much at once. Send large bodies one after the other.",
              RETRY_AFTER,
            );
          }
          if (heldInAll + bytes > processBytesMax) {
            throw new Problem(
              "unavailable",
              "The server is reading as much as it can. Try again in a moment.",
              RETRY_AFTER,
            );
          }
          change(bytes);
        },
        release: () => change(-taken),
      };
    },
  };
}
