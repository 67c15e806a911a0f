import type { Base } from "../../core/base.ts";
import type { OutgoingResult } from "../../core/platform/outgoing/index.ts";
import { type Answer, type Ask, type Change, ImportStopped } from "./provider.ts";

const DEADLINE_MS = 20_000;
const ANSWER_BYTES_MAX = 8 * 1024 * 1024;
const RETRY_MS = [250, 1_000, 2_000] as const;
/** A provider that asks for a longer pause ends the import; the user starts the next run. */
const RETRY_AFTER_SECONDS_MAX = 30;
const REQUESTS_MAX = 1_000;

/**
 * Client for a provider's API, over the outgoing client with its address checks. It sends at most
 * `REQUESTS_MAX` requests, waits for Retry-After, and retries temporary failures. Other failures stop the
 * import. Requests are not logged: their headers hold the user's credentials.
 */
export function createAsk(
  deps: Pick<Base, "outgoing" | "clock">,
  name: string,
  baseOf: (path: string) => string,
  signal: AbortSignal,
  plainHttp = false,
): Ask {
  let requests = 0;
  return async (path, headers, change) => {
    for (let tried = 1; ; tried += 1) {
      requests += 1;
      if (requests > REQUESTS_MAX) {
        throw new ImportStopped("provider_answer", `${name} has more pages than can be read.`);
      }
      const result = await deps.outgoing.request({
        method: change?.method ?? "GET",
        url: baseOf(path) + path,
        headers: ["accept", "application/json", ...headers, ...typeOf(change)],
        ...(change ? { body: change.body } : {}),
        plainHttp,
        deadlineMs: DEADLINE_MS,
        bodyBytesMax: ANSWER_BYTES_MAX,
        reuse: true,
        signal,
      });
      const waitMs = waitBefore(result, tried);
      if (waitMs === null) return answerOf(result, name, change !== undefined);
      await deps.clock.sleep(waitMs, signal);
      signal.throwIfAborted();
    }
  };
}

function typeOf(change: Change | undefined): string[] {
  return change ? ["content-type", change.type] : [];
}

/** Delay before the next attempt; null if the result is final. */
function waitBefore(result: OutgoingResult, tried: number): number | null {
  const usualMs = RETRY_MS[tried - 1];
  if (usualMs === undefined) return null;
  if (result.kind === "failed") return usualMs;
  if (result.status === 429) {
    const { "retry-after": after = "none" } = result.headers;
    const seconds = Number(after);
    if (!Number.isFinite(seconds) || seconds < 0) return usualMs;
    return seconds > RETRY_AFTER_SECONDS_MAX ? null : seconds * 1_000;
  }
  const isBrokenOff = result.cutBy === "deadline" || result.cutBy === "peer";
  return result.status >= 500 || isBrokenOff ? usualMs : null;
}

function answerOf(result: OutgoingResult, name: string, isChange: boolean): Answer {
  if (result.kind === "failed") {
    throw new ImportStopped("provider_unavailable", `${name} cannot be reached. Try again later.`);
  }
  const { status } = result;
  if (status === 401 || status === 403) {
    throw new ImportStopped("provider_refused", `${name} refused the credentials. Check them.`);
  }
  if (status === 429) {
    const message = `${name} limits how often it can be asked. Try again in a few minutes.`;
    throw new ImportStopped("provider_limited", message);
  }
  if (status >= 500) {
    throw new ImportStopped("provider_unavailable", `${name} answers ${status}. Try again later.`);
  }
  if (status === 404) {
    throw new ImportStopped("provider_refused", `${name} knows no such account. Check its id.`);
  }
  // A change is answered with 201 or 202 by some.
  const isDone = status === 200 || (isChange && (status === 201 || status === 202));
  const parsed = isDone && !result.truncated ? parse(result.body) : null;
  if (parsed === null) {
    const message = `${name} answered something that is not a list (status ${status}). Nothing was made.`;
    throw new ImportStopped("provider_answer", message);
  }
  return parsed;
}

function parse(bytes: Buffer): Answer | null {
  try {
    const value: unknown = JSON.parse(bytes.toString("utf8"));
    return typeof value === "object" && value !== null ? (value as Answer) : null;
  } catch {
    return null;
  }
}
