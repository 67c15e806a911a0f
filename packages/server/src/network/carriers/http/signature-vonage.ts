import { createHash, createHmac } from "node:crypto";
import { contentOf, contentTypeOf } from "./content.ts";
import type { VonageSignature } from "./signature-config.ts";
import { isRecent, isSame, type SignatureFault, type SignedParts } from "./signature-parts.ts";

/** Contents that cannot be read carry no signature. */
function signedContent({ headers, query, body }: SignedParts): unknown {
  try {
    return contentOf({ contentType: contentTypeOf(headers), query, body });
  } catch {
    return null;
  }
}

/** Checks Vonage's `sig`, which covers all other parameters of the call in alphabetical order. */
export function vonageFault(
  request: SignedParts,
  { method, key, maxAgeSeconds }: VonageSignature,
  nowMs: number,
): SignatureFault | null {
  const content = signedContent(request);
  const isObject = typeof content === "object" && content !== null && !Array.isArray(content);
  const { sig, ...params } = (isObject ? content : {}) as Record<string, unknown>;
  const at = "sig";
  if (typeof sig !== "string") return { at, sentences: "The parameter sig is missing." };
  const signed = Object.entries(params)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    // Separators inside values would let one call pass for another.
    .map(([name, value]) => `&${name}=${String(value).replaceAll(/[&=]/g, "_")}`)
    .join("");
  const expected =
    method === "md5hash"
      ? createHash("md5")
          .update(signed + key)
          .digest("hex")
      : createHmac(method, key).update(signed).digest("hex");
  if (!isSame(sig.toLowerCase(), expected)) {
    return { at, sentences: "The parameter sig is not the signature of this call." };
  }
  const seconds = Number(params["timestamp"]);
  if (isRecent(seconds, maxAgeSeconds, nowMs)) return null;
  return {
    at: "timestamp",
    sentences: "The parameter timestamp is missing, or far from our time.",
  };
}
