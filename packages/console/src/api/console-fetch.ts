import { noteServerMs, nowMs } from "../clock.ts";
import { isPersonPresent } from "./presence.ts";

/**
 * Sends every call of the console: to the server that served the page, with the session's cookie
 * and a header that a form on another site cannot send. When the session has ended, or the server
 * wants the password confirmed, the call waits for the reader and is then repeated unchanged.
 */

const CONSOLE_HEADER = "longwave-console";
/** Marks a call that no person made. The server does not count it as use of the session. */
export const BACKGROUND_HEADER = "longwave-background";
/** Time at which the server received a call, by its own clock. */
const TAKEN_AT_HEADER = "longwave-taken-at";

/**
 * Prompt for the reader, by the code of the refusal. Resolves to whether the reader completed it.
 */
export type ReaderPrompt = "session_required" | "confirmation_required";
type PromptReader = (prompt: ReaderPrompt) => Promise<boolean>;

let promptReader: PromptReader | null = null;

export function onRefusal(prompt: PromptReader | null): void {
  promptReader = prompt;
}

export async function consoleFetch(path: string, init: RequestInit): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.delete("authorization");
  headers.set(CONSOLE_HEADER, "1");
  if (!isPersonPresent()) headers.set(BACKGROUND_HEADER, "1");
  const send = async () => {
    const startedMs = nowMs();
    const sent: RequestInit = { ...init, headers, credentials: "same-origin", redirect: "error" };
    const response = await fetch(path, sent);
    const takenAtMs = Number(response.headers.get(TAKEN_AT_HEADER));
    if (takenAtMs > 0) noteServerMs(takenAtMs, startedMs);
    return response;
  };
  let response = await send();
  let prompt = await promptFor(response);
  if (prompt === "session_required") {
    // The session may have been renewed meanwhile; the second request carries the new cookie.
    response = await send();
    prompt = await promptFor(response);
  }
  if (prompt === null || promptReader === null || !(await promptReader(prompt))) return response;
  return send();
}

async function promptFor(response: Response): Promise<ReaderPrompt | null> {
  if (response.status !== 401 && response.status !== 403) return null;
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => null);
  const code = (body as { error?: { code?: unknown } } | null)?.error?.code;
  return code === "session_required" || code === "confirmation_required" ? code : null;
}
