import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { Problem } from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import type { Config } from "../../core/config/config.ts";
import type { Exchange } from "../../http/exchange/exchange.ts";

/** Cookies, headers and origin of browser requests. */
const COOKIE_HTTPS = "__Host-longwave";
const COOKIE_HTTP = "longwave";
const TOKEN_PATTERN = /^[\w-]{43}$/;
export const CONSOLE_HEADER = "longwave-console";
export const BACKGROUND_HEADER = "longwave-background";
/**
 * Response header: when the server took the call, in ms since 1970. Pages compute ages by the server's clock.
 */
const TAKEN_AT_HEADER = "longwave-taken-at";

function isSecure(config: Config): boolean {
  return config.publicUrl?.startsWith("https://") === true;
}

export function hashToken(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

export function isSameHash(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}

/** The session's token in the request's cookie, or null. */
export function tokenOf(config: Config, request: IncomingMessage): string | null {
  const cookieName = isSecure(config) ? COOKIE_HTTPS : COOKIE_HTTP;
  for (const part of (request.headers.cookie ?? "").split(";")) {
    const split = part.indexOf("=");
    if (split === -1 || part.slice(0, split).trim() !== cookieName) continue;
    const token = part.slice(split + 1).trim();
    return TOKEN_PATTERN.test(token) ? token : null;
  }
  return null;
}

/** Set-Cookie header that starts a session or, without a token, ends it. */
export function cookieHeader(config: Config, token: string | null): Record<string, string> {
  const secure = isSecure(config);
  const name = secure ? COOKIE_HTTPS : COOKIE_HTTP;
  const parts = [`${name}=${token ?? ""}`, "Path=/", "HttpOnly", "SameSite=Strict"];
  if (secure) parts.push("Secure");
  if (token === null) parts.push("Max-Age=0");
  return { "set-cookie": parts.join("; ") };
}

/** Accepts a page's request: stamps its time and checks its origin. */
export function acceptCall({ config, clock }: Pick<Base, "config" | "clock">, exchange: Exchange) {
  exchange.headers[TAKEN_AT_HEADER] = clock.now();
  checkOrigin(config, exchange.request);
}

/**
 * Refuses cross-site requests (CSRF, DNS rebinding). A change needs the console's own header, which a form
 * cannot send, and a same-origin Origin or Sec-Fetch-Site. An unknown Host is refused for reads, too.
 */
function checkOrigin(config: Config, request: IncomingMessage): void {
  if (!isOurHost(config, request.headers.host ?? "")) {
    throw new Problem(
      "cross_site_request",
      "This server does not know the host name it was called by. Set LONGWAVE_PUBLIC_URL to it.",
    );
  }
  if (request.method === "GET") return;
  const site = request.headers["sec-fetch-site"];
  const isOurs = site === undefined ? isOurOrigin(config, request) : site === "same-origin";
  if (isOurs && request.headers[CONSOLE_HEADER] === "1") return;
  throw new Problem(
    "cross_site_request",
    "Changes are taken from the console's own page only. Reload it and try again.",
  );
}

function isOurOrigin(config: Config, request: IncomingMessage): boolean {
  const { origin, host } = request.headers;
  if (origin === undefined) return false;
  if (config.publicUrl !== null) return origin === config.publicUrl;
  return origin === `http://${host}`;
}

function isOurHost(config: Config, host: string): boolean {
  if (config.publicUrl !== null && new URL(config.publicUrl).host === host) return true;
  const name = host.replace(/:\d+$/, "").replace(/^\[|\]$/g, "");
  return name === "localhost" || isIP(name) !== 0;
}

/** Allows passwords over plain HTTP from this machine only. */
export function requireSecureTransport(config: Config, ip: string): void {
  if (isSecure(config) || ip === "::1" || ip.replace("::ffff:", "").startsWith("127.")) return;
  throw new Problem(
    "cross_site_request",
    "Signing in over plain http works on the server's own machine only. Put https in front, and set LONGWAVE_PUBLIC_URL.",
  );
}
