import type { IncomingMessage } from "node:http";
import { Problem } from "@longwave/contract";
import type { TSchema } from "typebox";
import type { PipelineAnswer } from "../../http/api/handler.ts";
import { parseStrictJson } from "../../http/body/json-body.ts";
import {
  checkContentType,
  createBodyBudget,
  hasBody,
  readBody,
} from "../../http/body/read-body.ts";
import { compileSchema } from "../../http/body/validate.ts";
import type { Exchange } from "../../http/exchange/exchange.ts";
import { createAnonymousBodies } from "../../http/limits/anonymous-bodies.ts";
import type { WithinLimit } from "../../http/limits/concurrency-limits.ts";
import type { Calls } from "../../http/server/calls.ts";
import type { OperatorPeopleDeps } from "./deps.ts";
import { acceptCall, BACKGROUND_HEADER, tokenOf } from "./session-request.ts";
import type { Session, Sessions } from "./sessions.ts";

/** Forms of people who are not signed in: a link's token, a name, an email and a password. */
const FORM_BYTES_MAX = 4 * 1024;
/** Bodies of signed-in people: forms, no files. */
const BODY_BYTES_MAX = 64 * 1024;
const BODY_TOKENS_MAX = 1_000;
/** Memory limits of all forms and of all bodies being read. */
const forms = createAnonymousBodies(1_024 * FORM_BYTES_MAX);
const bodies = createBodyBudget(64 * BODY_BYTES_MAX);

export interface ConsoleDeps extends OperatorPeopleDeps {
  readonly sessions: Sessions;
  /** Concurrency limits, shared with the account's API calls. */
  readonly withinLimit: WithinLimit;
  /** Internal calls of API routes, for console routes that combine several. */
  readonly calls: Pick<Calls, "call">;
  /** The whole answer of /readyz, which anonymous clients see without its details. */
  readonly readiness: () => Promise<object>;
}

/** One console request whose origin has been checked. */
export interface SessionRequest<B> {
  readonly deps: ConsoleDeps;
  readonly exchange: Exchange;
  readonly params: Readonly<Record<string, string>>;
  readonly body: B;
}

export interface OwnRoute {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly path: string;
  readonly handle: (deps: ConsoleDeps, exchange: Exchange) => Promise<PipelineAnswer>;
}

/** A route without authentication. */
export function open<B = undefined>(
  method: OwnRoute["method"],
  path: string,
  schema: TSchema | null,
  work: (request: SessionRequest<B>) => Promise<PipelineAnswer>,
  bytesMax = FORM_BYTES_MAX,
): OwnRoute {
  const bodyOf = bodyReader<B>(schema);
  return {
    method,
    path: `/console/v1${path}`,
    async handle(deps, exchange) {
      const { request, params } = exchange;
      acceptCall(deps, exchange);
      const form = forms.open(exchange);
      const body = await bodyOf(request, () => form.read(bytesMax)).finally(form.release);
      return work({ deps, exchange, params, body });
    },
  };
}

/** Reads a route's body: JSON that fits its schema, or nothing where it has none. */
function bodyReader<B>(schema: TSchema | null) {
  const validate = schema ? compileSchema(schema) : null;
  return async (request: IncomingMessage, read: () => Buffer | Promise<Buffer>): Promise<B> => {
    if (!validate) return undefined as B;
    if (!hasBody(request)) throw new Problem("invalid_request", "This call needs a JSON body.");
    checkContentType(request);
    const { value } = await parseStrictJson(await read(), BODY_TOKENS_MAX);
    validate(value);
    return value as B;
  };
}

type SignedInWork<B> = (request: SessionRequest<B>, session: Session) => Promise<PipelineAnswer>;

/** A route for a signed-in person. */
export function signedIn<B = undefined>(
  method: OwnRoute["method"],
  path: string,
  schema: TSchema | null,
  work: SignedInWork<B>,
): OwnRoute {
  return signedInBeforeSetup<B>(method, path, schema, async (request, session) => {
    checkSecondFactor(session);
    return work(request, session);
  });
}

/** A route for a signed-in person who may still have to set up a required second factor. */
export function signedInBeforeSetup<B = undefined>(
  method: OwnRoute["method"],
  path: string,
  schema: TSchema | null,
  work: SignedInWork<B>,
): OwnRoute {
  const bodyOf = bodyReader<B>(schema);
  return {
    method,
    path: `/console/v1${path}`,
    async handle(deps, exchange) {
      const { request, params } = exchange;
      acceptCall(deps, exchange);
      const session = await sessionOf(deps, exchange);
      if (!session) throw sessionRequired();
      const bytes = bodies.open(session.userId);
      const read = () => readBody(request, BODY_BYTES_MAX, bytes);
      const body = await bodyOf(request, read).finally(bytes.release);
      return work({ deps, exchange, params, body }, session);
    },
  };
}

/** Refuses a person whose rank requires a second factor that is not set up. */
export function checkSecondFactor(session: Session): void {
  if (!lacksSecondFactor(session)) return;
  throw new Problem(
    "second_factor_required",
    "This installation requires a second factor of you. Set up a passkey or an authenticator app on the page Profile and security.",
  );
}

export function lacksSecondFactor({ requiresFactor, hasTotp, hasPasskeys }: Session): boolean {
  return requiresFactor && !hasTotp && !hasPasskeys;
}

export function sessionOf(deps: ConsoleDeps, { request }: Exchange): Promise<Session | null> {
  const token = tokenOf(deps.config, request);
  if (token === null) return Promise.resolve(null);
  return deps.sessions.find(token, request.headers[BACKGROUND_HEADER] === undefined);
}

export function sessionRequired(): Problem {
  return new Problem("session_required", "Nobody is signed in.");
}

export function ok(body: unknown, headers?: Record<string, string>): PipelineAnswer {
  return { status: 200, body, ...(headers ? { headers } : {}) };
}
