/**
 * Checks of a customer's URL that need no DNS (docs/decisions/0002-outgoing-http-client.md).
 * The same rules run when a URL is saved and again before every connection.
 */
import { isIP } from "node:net";
import { isLonger } from "@longwave/contract";
import {
  addressProblem,
  canonicalHost,
  isAllowedAddress,
  isAllowedHost,
  isBlockedHost,
  type TargetRules,
} from "./targets.ts";

export interface UrlOptions {
  /** Websites may be plain http (port 80 or above 1023); webhooks may not. */
  readonly plainHttp?: boolean;
  /** A page URL may have a fragment, which is never sent; in a webhook URL it is a mistake. */
  readonly fragment?: boolean;
}

export type UrlVerdict =
  | { readonly ok: true; readonly url: URL }
  | { readonly ok: false; readonly reason: string };

export const URL_CHARS_MAX = 2048;
const HOST_CHARS_MAX = 253;
const PORT_UNPRIVILEGED_MIN = 1024;

const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;
const PRIVATE_SUFFIXES = ["localhost", "local", "internal", "home.arpa", "onion"];

/** Describes the first problem of the URL in one sentence, worded for the customer who typed it. */
export function checkUrl(rules: TargetRules, text: string, options: UrlOptions = {}): UrlVerdict {
  if (isLonger(text, URL_CHARS_MAX)) {
    return refuse(`The URL is longer than ${URL_CHARS_MAX} characters.`);
  }
  // The parser drops tabs and line breaks silently, so the checked URL would differ from the written one.
  if (/[\s\p{Cc}]/u.test(text)) return refuse("The URL contains white space; percent-encode it.");
  const url = parseUrl(text);
  if (url === null)
    return refuse("This is not a valid URL. Write it in full, such as https://example.com/hooks.");
  const reason =
    schemeProblem(rules, url, options) ??
    partsProblem(url, options) ??
    portProblem(rules, url) ??
    hostProblem(rules, url, options);
  return reason === null ? { ok: true, url } : refuse(reason);
}

/** The URL's port, its scheme's default included. */
export function portOf(url: URL): number {
  if (url.port !== "") return Number(url.port);
  return url.protocol === "http:" ? 80 : 443;
}

function refuse(reason: string): UrlVerdict {
  return { ok: false, reason };
}

function parseUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

/** How the operator's allow list covers the URL: as an exact host and port, as an address, or not at all. */
function allowance(rules: TargetRules, url: URL): "host" | "address" | null {
  const host = canonicalHost(url.hostname);
  if (isAllowedHost(rules.allowTargets, host, portOf(url))) return "host";
  return isIP(host) !== 0 && isAllowedAddress(rules.allowTargets, host) ? "address" : null;
}

function schemeProblem(rules: TargetRules, url: URL, options: UrlOptions): string | null {
  if (url.protocol === "https:") return null;
  if (url.protocol === "http:") {
    const allowed = options.plainHttp === true || allowance(rules, url) !== null;
    if (allowed) return null;
    // The way out of a private host is more help than its scheme.
    return hostProblem(rules, url, options) ?? "The URL must start with https://.";
  }
  const schemes = options.plainHttp === true ? "https:// or http://" : "https://";
  return `The URL must start with ${schemes}, and not with ${url.protocol.slice(0, -1)}.`;
}

function partsProblem(url: URL, options: UrlOptions): string | null {
  if (url.username !== "" || url.password !== "") {
    return "The URL must not contain a user name or password.";
  }
  if (url.hash !== "" && options.fragment !== true) {
    return "The URL must not contain a fragment (#…); it would never be sent.";
  }
  return null;
}

function portProblem(rules: TargetRules, url: URL): string | null {
  const port = portOf(url);
  // schemeProblem has already accepted plain http, whose port is 80.
  const usual = port === 443 || (port === 80 && url.protocol === "http:");
  if (usual || port >= PORT_UNPRIVILEGED_MIN || allowance(rules, url) === "host") return null;
  return `Port ${port} is not allowed; use 443 or a port above 1023.`;
}

function hostProblem(rules: TargetRules, url: URL, options: UrlOptions): string | null {
  const host = canonicalHost(url.hostname);
  if (isBlockedHost(rules.blockTargets, host)) {
    return `The host ${host} is not allowed by this installation.`;
  }
  const hostAllowed = allowance(rules, url) === "host";
  if (isIP(host) === 0) return hostAllowed ? null : nameProblem(host, options);
  const problem = addressProblem(rules, host, hostAllowed);
  return problem === null
    ? null
    : `The address ${host} is not public; use one that anyone can reach.${wayOut(options)}`;
}

/** How a webhook reaches a private host all the same. Websites have no way. */
function wayOut(options: UrlOptions): string {
  return options.plainHttp === true
    ? ""
    : " In development, `longwave listen` forwards events to it; the operator may allow it with LONGWAVE_WEBHOOK_PRIVATE_TARGETS.";
}

function nameProblem(host: string, options: UrlOptions): string | null {
  const labels = host.split(".");
  if (host.length > HOST_CHARS_MAX || !labels.every((label) => LABEL.test(label))) {
    return `"${host}" is not a valid host name.`;
  }
  const isPrivate =
    labels.length === 1 ||
    PRIVATE_SUFFIXES.some((suffix) => host === suffix || host.endsWith(`.${suffix}`));
  return isPrivate
    ? `The host ${host} is not public; use a name that anyone can reach.${wayOut(options)}`
    : null;
}
