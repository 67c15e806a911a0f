/** A fetch with canned responses that records its requests. */
export interface RecordedRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  readonly body: string | null;
}

export type Reply =
  | Response
  | Error
  | ((asked: RecordedRequest, signal: AbortSignal) => Promise<Response>);

export function fakeFetch(replies: readonly Reply[]): {
  fetch: typeof globalThis.fetch;
  asked: RecordedRequest[];
} {
  const asked: RecordedRequest[] = [];
  return {
    asked,
    fetch: async (input, init) => {
      const one: RecordedRequest = {
        method: init?.method ?? "GET",
        url: new URL(String(input)),
        headers: new Headers(init?.headers),
        body: typeof init?.body === "string" ? init.body : null,
      };
      const reply = replies[asked.length];
      asked.push(one);
      if (reply === undefined) throw new Error("The fake server was asked once too often.");
      if (reply instanceof Error) throw reply;
      if (reply instanceof Response) return reply;
      return reply(one, init?.signal ?? new AbortController().signal);
    },
  };
}

export function answer(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { "content-type": "application/json", "x-request-id": "req_1", ...headers },
  });
}

export function refusal(status: number, code: string, headers: Record<string, string> = {}) {
  const error = { code, message: `It is ${code}.`, param: "to", request_id: "req_1" };
  return answer(status, { error }, headers);
}
