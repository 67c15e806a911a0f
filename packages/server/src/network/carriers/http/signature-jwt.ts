import { createHash, createHmac } from "node:crypto";
import { parseLoosely, stringAt } from "./path.ts";
import type { JwtSignature } from "./signature-config.ts";
import {
  headersOf,
  isRecent,
  isSame,
  type SignatureFault,
  type SignedParts,
} from "./signature-parts.ts";

/** Difference between two clocks that a token's times may have. */
const LEEWAY_SECONDS = 60;

/** Checks a token (RFC 7519) with the algorithm HS256, its times, and the hashes of body and URL. */
export function jwtFault(
  request: SignedParts,
  options: JwtSignature,
  url: string,
  nowMs: number,
): SignatureFault | null {
  const { header, prefix } = options;
  const fault = (sentences: string): SignatureFault => ({ at: header, sentences });
  const given = headersOf(request, header);
  const token = given.startsWith(prefix) ? given.slice(prefix.length) : "";
  const [head = "", payload = "", signature = "", ...others] = token.split(".");
  if (signature === "" || others.length > 0) {
    return fault(`The header ${header} holds no JSON Web Token.`);
  }
  if (stringAt(contentOf(head), ["alg"]) !== "HS256") {
    return fault(`The token in the header ${header} must be signed with HS256.`);
  }
  const expected = createHmac("sha256", options.key).update(`${head}.${payload}`);
  if (!isSame(signature, expected.digest("base64url"))) {
    return fault(`The token in the header ${header} is not signed with the secret.`);
  }
  const claims = contentOf(payload);
  if (!isTimely(claims, options.maxAgeSeconds, nowMs)) {
    return fault(`The token in the header ${header} has expired, or carries no time.`);
  }
  const claimed: [claim: string | null, value: string][] = [
    [options.bodyHashClaim, sha256Hex(request.body)],
    [options.urlHashClaim, sha256Hex(url)],
    [options.urlClaim, url],
  ];
  for (const [claim, value] of claimed) {
    // A call without a body has no hash of it.
    if (claim === null || (claim === options.bodyHashClaim && request.body.length === 0)) continue;
    const said = stringAt(claims, [claim]) ?? stringAt(claims, [claim, 0]) ?? "";
    if (isSame(said.toLowerCase(), value.toLowerCase())) continue;
    return fault(`The claim ${claim} in the header ${header} is that of another call.`);
  }
  return null;
}

/** A token lives until `exp`; without `exp` it must have been issued a moment ago. */
function isTimely(claims: unknown, maxAgeSeconds: number, nowMs: number): boolean {
  const seconds = (claim: string) => {
    const text = stringAt(claims, [claim]);
    return text === null ? null : Number(text);
  };
  const [expires, notBefore, issued] = [seconds("exp"), seconds("nbf"), seconds("iat")];
  const now = nowMs / 1_000;
  if (notBefore !== null && !(notBefore <= now + LEEWAY_SECONDS)) return false;
  if (expires !== null) return expires >= now - LEEWAY_SECONDS;
  return issued !== null && isRecent(issued, maxAgeSeconds, nowMs);
}

function contentOf(part: string): unknown {
  return parseLoosely(Buffer.from(part, "base64url").toString("utf8"));
}

function sha256Hex(text: string | Buffer): string {
  return createHash("sha256").update(text).digest("hex");
}
