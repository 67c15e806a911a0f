import { noteServerMs, nowMs } from "../clock.ts";
import { isSomebodyHere } from "./presence.ts";

/**
 * The one way out of the console. Every call goes to the server that served the page, carries the
 * session's cookie and the header that a form of another site cannot send. When the session has ended
 * meanwhile, or the password is wanted again, it waits for the reader and is then repeated as it was.
 */

const CONSOLE_HEADER = "longwave-console";
/** A call that no person makes must not keep a session awake: the server does not count it as use. */
export const BACKGROUND_HEADER = "longwave-background";
/** When the server took a call, by its own clock. */
const TAKEN_AT_HEADER = "longwave-taken-at";

/** What the reader is asked for, by the code of the refusal; it resolves to whether they gave it. */
export type Asked = "session_required" | "confirmation_required";
type Ask = (asked: Asked) => Promise<boolean>;

let askReader: Ask | null = null;

export function onRefusal(ask: Ask | null): void {
  askReader = ask;
}

export async function exchange(path: string, init: RequestInit): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.delete("authorization");
  headers.set(CONSOLE_HEADER, "1");
  if (!isSomebodyHere()) headers.set(BACKGROUND_HEADER, "1");
  const send = async () => {
    const begunMs = nowMs();
    const sent: RequestInit = { ...init, headers, credentials: "same-origin", redirect: "error" };
    const response = await fetch(path, sent);
    const takenAtMs = Number(response.headers.get(TAKEN_AT_HEADER));
    if (takenAtMs > 0) noteServerMs(takenAtMs, begunMs);
    return response;
  };
  let response = await send();
  let asked = await askedBy(response);
  if (asked === "session_required") {
    // The token may have changed while this was on its way: the cookie of now is another one.
    response = await send();
    asked = await askedBy(response);
  }
  if (asked === null || askReader === null || !(await askReader(asked))) return response;
  return send();
}

async function askedBy(response: Response): Promise<Asked | null> {
  if (response.status !== 401 && response.status !== 403) return null;
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => null);
  const code = (body as { error?: { code?: unknown } } | null)?.error?.code;
  return code === "session_required" || code === "confirmation_required" ? code : null;
}
