import type { Outgoing, PageResult } from "../../../core/platform/outgoing/index.ts";
import type { PageProblem, PageProblemKind } from "../site.ts";
import type { PageParser } from "./page-parser.ts";
import { PAGE_BYTES_MAX, type PageRead, type PageSource, REDIRECTS_MAX } from "./source.ts";

export interface WebSourceOptions {
  readonly outgoing: Pick<Outgoing, "readPage">;
  readonly parser: PageParser;
  /** Monotonic milliseconds. */
  readonly now: () => number;
  readonly signal?: AbortSignal;
}

/** Pages from the web, each redirect through the HTTP client with SSRF protection. */
export function createWebSource(options: WebSourceOptions): PageSource {
  return { read: (url, withinMs) => readFollowing(options, url, options.now() + withinMs) };
}

type Step =
  | { readonly kind: "done"; readonly read: PageRead }
  | { readonly kind: "onward"; readonly to: string };

async function readFollowing(
  options: WebSourceOptions,
  url: string,
  deadlineAtMs: number,
): Promise<PageRead> {
  const visited = new Set<string>();
  let current = url;
  for (let hops = 0; hops <= REDIRECTS_MAX; hops += 1) {
    if (visited.has(current)) {
      return failed(url, current, "redirects", "The address redirects in a circle.");
    }
    visited.add(current);
    const leftMs = deadlineAtMs - options.now();
    if (leftMs < 1)
      return failed(url, current, "timeout", "There was no time left to open the page.");
    const step = await readOnce(options, url, current, deadlineAtMs);
    if (step.kind === "done") return step.read;
    current = step.to;
  }
  return failed(
    url,
    current,
    "redirects",
    `The address redirects more than ${REDIRECTS_MAX} times.`,
  );
}

async function readOnce(
  options: WebSourceOptions,
  url: string,
  current: string,
  deadlineAtMs: number,
): Promise<Step> {
  const result = await options.outgoing.readPage({
    url: current,
    deadlineMs: deadlineAtMs - options.now(),
    bodyBytesMax: PAGE_BYTES_MAX,
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  if (result.kind === "failed") {
    const [kind, detail] = failureOf(result.error, hostOf(current));
    return done(failed(url, current, kind, detail));
  }
  const onward = redirectTarget(result, current);
  if (onward !== null) return { kind: "onward", to: onward };
  const problem = problemOf(result);
  if (problem !== null)
    return done({ ...failed(url, current, problem.kind, problem.detail), status: result.status });
  return await parsed(options, url, current, result, deadlineAtMs);
}

async function parsed(
  options: WebSourceOptions,
  url: string,
  current: string,
  result: Extract<PageResult, { kind: "answer" }>,
  deadlineAtMs: number,
): Promise<Step> {
  const { status, contentType, body } = result;
  const leftMs = Math.max(1, deadlineAtMs - options.now());
  const page = await options.parser.parse({ bytes: body, contentType, url: current }, leftMs);
  if (page.kind === "unreadable") {
    return done({ ...failed(url, current, "unreadable", page.detail), status });
  }
  const { refreshTo } = page.facts;
  if (refreshTo !== null && refreshTo !== current) return { kind: "onward", to: refreshTo };
  const cut = result.cutBy === "bytes";
  return done({ url, finalUrl: current, status, problem: null, cut, facts: page.facts });
}

function done(read: PageRead): Step {
  return { kind: "done", read };
}

function failed(url: string, at: string, kind: PageProblemKind, detail: string): PageRead {
  return { url, finalUrl: at, status: null, problem: { kind, detail }, cut: false, facts: null };
}

/**
 * Blocked, refused and unresolved addresses give one reason in similar time, so that a finding
 * reveals nothing about blocked addresses. Certificate errors and timeouts occur only at allowed
 * addresses.
 */
function failureOf(
  error: "timeout" | "unreachable" | "tls",
  host: string,
): [PageProblemKind, string] {
  if (error === "tls") return ["tls", `${host} has no valid certificate for its name.`];
  if (error === "timeout") return ["timeout", `${host} did not answer in time.`];
  return [
    "unreachable",
    `${host} could not be reached: its name does not resolve, or nobody answers there from the public internet.`,
  ];
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

function redirectTarget(
  { status, location }: Extract<PageResult, { kind: "answer" }>,
  current: string,
): string | null {
  if (!REDIRECTS.has(status) || location === null) return null;
  try {
    // Browsers send bytes beyond ASCII as UTF-8; Node decodes headers as Latin-1.
    const target = new URL(Buffer.from(location, "latin1").toString("utf8"), current);
    target.hash = "";
    return target.href;
  } catch {
    return null;
  }
}

const HTML = /^\s*(?:text\/html|application\/xhtml\+xml)\b/i;

function problemOf(result: Extract<PageResult, { kind: "answer" }>): PageProblem | null {
  const { status, contentType, body, cutBy, unreadable } = result;
  if (status < 200 || status > 299)
    return { kind: "status", detail: `The page answers with status ${status}.` };
  const isHtml =
    contentType === null
      ? /^\s*</.test(body.subarray(0, 200).toString("latin1"))
      : HTML.test(contentType);
  if (!isHtml)
    return {
      kind: "not_html",
      detail: `The address answers with ${typeName(contentType)}, not with a page of HTML.`,
    };
  if (unreadable !== null) return { kind: "unreadable", detail: unreadable };
  if (cutBy === "deadline")
    return { kind: "slow", detail: `Only ${body.length} bytes of the page came in time.` };
  if (cutBy === "peer")
    return { kind: "unreadable", detail: `The page broke off after ${body.length} bytes.` };
  return null;
}

function typeName(contentType: string | null): string {
  const name = contentType?.split(";")[0]?.trim().slice(0, 60) ?? "";
  return name === "" ? "something of an unknown type" : name;
}

function hostOf(url: string): string {
  try {
    return new URL(url).hostname;
  } catch {
    return "The host";
  }
}
