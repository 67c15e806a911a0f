import { Problem } from "@longwave/contract";

export const HOLD_PATH = "/operator/v1/hold";
const RETRY_AFTER_SECONDS = 60;

/** While there is a hold: what reads is answered, and the release is taken; the rest comes back later. */
export function refuseWhileHeld(method: string, path: string): Problem | null {
  if (method === "GET" || method === "HEAD" || path.startsWith(`${HOLD_PATH}/`)) return null;
  return new Problem(
    "unavailable",
    `The installation's database was restored, and nothing is sent or changed until its operator has released it (POST ${HOLD_PATH}/release).`,
    { headers: { "retry-after": String(RETRY_AFTER_SECONDS) } },
  );
}
