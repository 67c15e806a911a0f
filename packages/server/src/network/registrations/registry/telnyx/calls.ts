import type { Outgoing } from "../../../../core/platform/outgoing/index.ts";
import type { Unavailable } from "../registry.ts";

const DEADLINE_MS = 15_000;
const ANSWER_BYTES_MAX = 1024 * 1024;
const REASON_CHARS_MAX = 500;

/** An object of Telnyx's API. */
export type Fields = Readonly<Record<string, unknown>>;

/** An answer of Telnyx: its object, a refusal with the reason, or nothing under the path. */
export type Answer =
  | { readonly kind: "done"; readonly body: Fields }
  | { readonly kind: "refused"; readonly reason: string }
  | { readonly kind: "absent" }
  | Unavailable;

export type Call = (
  method: "GET" | "POST" | "PUT" | "DELETE",
  path: string,
  body: Fields | null,
  signal: AbortSignal,
) => Promise<Answer>;

export interface CallOptions {
  readonly outgoing: Outgoing;
  /** Origin of the API. */
  readonly url: string;
  readonly key: string;
}

/** Requests to Telnyx's 10DLC API. A request that creates something is never sent twice by itself. */
export function createCalls({ outgoing, url, key }: CallOptions): Call {
  const headers = ["authorization", `Bearer ${key}`, "accept", "application/json"];
  return async (method, path, body, signal) => {
    if (signal.aborted) return GIVEN_UP;
    const content = body === null ? {} : { body: JSON.stringify(body) };
    const result = await outgoing
      .request({
        method,
        url: `${url}/v2/10dlc/${path}`,
        plainHttp: true,
        headers: [...headers, "content-type", "application/json"],
        ...content,
        deadlineMs: DEADLINE_MS,
        bodyBytesMax: ANSWER_BYTES_MAX,
        signal,
        ...(method === "GET" ? { reuse: true } : { once: true }),
      })
      .catch((error: unknown) => {
        if (signal.aborted) return null;
        throw error;
      });
    if (result === null) return GIVEN_UP;
    if (result.kind === "failed") return unavailable("Telnyx could not be reached.");
    return readAnswer(result.status, result.truncated ? "" : result.body.toString("utf8"));
  };
}

const GIVEN_UP: Unavailable = { kind: "unavailable", reason: "The request was given up." };

function readAnswer(status: number, text: string): Answer {
  if (status === 401 || status === 403) {
    return unavailable("Telnyx does not accept the server's key: tell the operator.");
  }
  if (status === 404) return { kind: "absent" };
  const body = parse(text);
  if (status >= 200 && status < 300) {
    if (status === 204) return { kind: "done", body: {} };
    return body === null ? unavailable("Telnyx sent no readable answer.") : { kind: "done", body };
  }
  if (status === 429 || status >= 500) return unavailable(`Telnyx answered with status ${status}.`);
  return { kind: "refused", reason: reasonOf(body) ?? `Telnyx answered with status ${status}.` };
}

function parse(text: string): Fields | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Fields) : null;
  } catch {
    return null;
  }
}

/** Details of the errors in an answer. */
function reasonOf(body: Fields | null): string | null {
  const errors = body?.["errors"];
  if (!Array.isArray(errors)) return null;
  const details = errors.flatMap((error: Fields | null) => {
    const detail = error?.["detail"] ?? error?.["title"];
    return typeof detail === "string" && detail !== "" ? [detail] : [];
  });
  return details.length === 0 ? null : shortened(details.join(" "));
}

/** Text of the registry for a note, without what PostgreSQL does not store. */
export function shortened(text: string): string {
  return text.replaceAll("\0", "").slice(0, REASON_CHARS_MAX);
}

export function unavailable(reason: string): Unavailable {
  return { kind: "unavailable", reason };
}
