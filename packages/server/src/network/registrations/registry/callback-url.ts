import type { Base } from "../../../core/base.ts";

const TOKEN_CHARS = 32;

/** Secret at the end of the address that the registry notifies. */
export function callbackToken({ secrets }: Pick<Base, "secrets">): string {
  return secrets.hmac("registry-callback", "").toString("base64url").slice(0, TOKEN_CHARS);
}

/** Address for the registry's notifications; null without a public URL, where polls alone find changes. */
export function callbackUrlOf(base: Pick<Base, "config" | "secrets">): string | null {
  const { publicUrl } = base.config;
  return publicUrl === null ? null : `${publicUrl}/registry-callbacks/${callbackToken(base)}`;
}
