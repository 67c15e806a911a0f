import type { ApiKey } from "@longwave/sdk";

/** Whether calls with the key are still accepted. */
export function isUsable(
  { revoked_at, expires_at }: Pick<ApiKey, "revoked_at" | "expires_at">,
  nowMs: number,
): boolean {
  return revoked_at === null && (expires_at === null || Date.parse(expires_at) > nowMs);
}
