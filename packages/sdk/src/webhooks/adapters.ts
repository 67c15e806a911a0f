import {
  type EventHandler,
  type Reply,
  receive,
  TOO_LARGE,
  WEBHOOK_BODY_BYTES_MAX,
} from "./receive.ts";
import type { RawBody, ReceivedHeaders } from "./verify.ts";

// Minimal framework types, so that no framework is a dependency.

const PARSED =
  "The body was parsed before the signature could be checked: put this handler before express.json(), or use express.raw({ type: '*/*' }) for its path.";

export interface ExpressRequest extends AsyncIterable<unknown> {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body?: unknown;
}

export interface ExpressResponse {
  status(code: number): { type(name: string): { send(text: string): unknown } };
}

/** Express: `app.post("/hooks", webhooks.express(secret, async (event) => { … }))`. */
export function express(secret: string, handler: EventHandler) {
  return async (
    request: ExpressRequest,
    response: ExpressResponse,
    next: (error?: unknown) => void,
  ): Promise<void> => {
    try {
      const body = await expressBody(request);
      const reply =
        body === null ? TOO_LARGE : await receive(body, request.headers, secret, handler);
      response.status(reply.status).type("text/plain").send(reply.text);
    } catch (error) {
      next(error);
    }
  };
}

/** Raw body, from express.raw() or unread; null when too large. */
async function expressBody(request: ExpressRequest): Promise<RawBody | null> {
  const { body } = request;
  if (typeof body === "string" || body instanceof Uint8Array) return body;
  if (body !== undefined && body !== null) throw new TypeError(PARSED);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    const part = typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk;
    if (!(part instanceof Uint8Array)) throw new TypeError(PARSED);
    bytes += part.length;
    if (bytes > WEBHOOK_BODY_BYTES_MAX) return null;
    chunks.push(part);
  }
  const whole = new Uint8Array(bytes);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

export interface FastifyScope {
  removeAllContentTypeParsers(): unknown;
  addContentTypeParser(
    type: string,
    options: { parseAs: "buffer"; bodyLimit: number },
    parser: (
      request: unknown,
      body: Uint8Array,
      done: (error: null, body: unknown) => void,
    ) => void,
  ): unknown;
  post(
    path: string,
    handler: (
      request: { body: unknown; headers: ReceivedHeaders },
      reply: { code(status: number): { type(name: string): { send(text: string): unknown } } },
    ) => Promise<unknown>,
  ): unknown;
}

/**
 * Fastify: `app.register(webhooks.fastify(secret, async (event) => { … }), { prefix: "/hooks" })`.
 * The raw body parser applies to this plugin's route alone.
 */
export function fastify(secret: string, handler: EventHandler) {
  return async (scope: FastifyScope): Promise<void> => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      "*",
      { parseAs: "buffer", bodyLimit: WEBHOOK_BODY_BYTES_MAX },
      (_request, body, done) => done(null, body),
    );
    scope.post("/", async (request, reply) => {
      const body = request.body instanceof Uint8Array ? request.body : "";
      const answer = await receive(body, request.headers, secret, handler);
      return reply.code(answer.status).type("text/plain").send(answer.text);
    });
  };
}

/** Hono: `app.post("/hooks", webhooks.hono(secret, async (event) => { … }))`. */
export function hono(secret: string, handler: EventHandler) {
  const respond = next(secret, handler);
  return (context: { readonly req: { readonly raw: Request } }): Promise<Response> =>
    respond(context.req.raw);
}

/**
 * Next.js: `export const POST = webhooks.next(secret, async (event) => { … })` in a route handler.
 * It maps a Request to a Response, so it serves Deno, Bun and workers as well.
 */
export function next(secret: string, handler: EventHandler) {
  return async (request: Request): Promise<Response> => {
    const body = new Uint8Array(await request.arrayBuffer());
    const reply: Reply =
      body.length > WEBHOOK_BODY_BYTES_MAX
        ? TOO_LARGE
        : await receive(body, request.headers, secret, handler);
    return new Response(reply.text, {
      status: reply.status,
      headers: { "content-type": "text/plain" },
    });
  };
}
