/**
 * The one way out of the console. Every call goes to the server that served the page, carries the
 * session's cookie and the header that a form of another site cannot send, and, when the session
 * has ended meanwhile, waits for the reader to sign in again and is then repeated as it was.
 */

const CONSOLE_HEADER = "longwave-console";

let signInAgain: (() => Promise<void>) | null = null;

/** Names what asks the reader to sign in again; it resolves once they have. */
export function onSessionEnd(ask: (() => Promise<void>) | null): void {
  signInAgain = ask;
}

export async function exchange(path: string, init: RequestInit): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.delete("authorization");
  headers.set(CONSOLE_HEADER, "1");
  const send = () =>
    fetch(path, { ...init, headers, credentials: "same-origin", redirect: "error" });
  const response = await send();
  if (response.status !== 401 || signInAgain === null || !(await isSessionOver(response))) {
    return response;
  }
  await signInAgain();
  return send();
}

async function isSessionOver(response: Response): Promise<boolean> {
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => null);
  const error = (body as { error?: { code?: unknown } } | null)?.error;
  return error?.code === "session_required";
}
