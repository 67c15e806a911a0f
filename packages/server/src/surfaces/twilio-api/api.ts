import { Problem, type RouteName, TWILIO_FORM_BYTES_MAX, toTwilioSid } from "@longwave/contract";
import { expect } from "../../core/platform/assert.ts";
import { toApiId } from "../../core/platform/ids.ts";
import type { Principal } from "../../http/api/caller.ts";
import type { PipelineAnswer } from "../../http/api/handler.ts";
import { basicKey } from "../../http/auth/admission.ts";
import type { Exchange } from "../../http/exchange/exchange.ts";
import { problemFrom } from "../../http/exchange/problems.ts";
import { limitKeyOf } from "../../http/limits/concurrency-limits.ts";
import type { AnyHandler, Calls } from "../../http/server/calls.ts";
import { type CompiledRoute, type Mount, routesAt } from "../../http/server/mounts.ts";
import type { OwnRoute } from "../../http/server/router.ts";
import { authToken } from "./auth-token.ts";
import type { TwilioDeps } from "./deps.ts";
import { checkFormType, type Form, type FormRules, readForm } from "./form.ts";
import { type Family, notSupported, refusalAnswer, TwilioRefusal } from "./refusals.ts";

/** An authenticated request to the Twilio-compatible API. */
export interface TwilioRequest {
  readonly deps: TwilioDeps;
  readonly caller: Principal;
  readonly ip: string;
  readonly form: Form;
  /** Path of the request. */
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  /** Calls one of Longwave's own routes on behalf of the caller. */
  call(name: RouteName, made: LongwaveCall): Promise<LongwaveAnswer>;
}

interface LongwaveCall {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: unknown;
  readonly body?: unknown;
  readonly handler?: AnyHandler;
}

export interface LongwaveAnswer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the caller knows the route
  readonly body: any;
}

export interface TwilioRoute {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly family: Family;
  /** The Longwave route it translates to: access to that route grants access to this one. */
  readonly asRoute: RouteName;
  readonly form: FormRules;
  handle(request: TwilioRequest): Promise<PipelineAnswer>;
}

/** The part of the Twilio-compatible API that the server mounts. */
export interface TwilioApi {
  readonly routes: readonly OwnRoute[];
  /** Answers paths of Twilio's that are not supported; null for other paths. */
  readonly fallback: (path: string) => OwnRoute["work"] | null;
  /** Answers every other path of a host that serves nothing but Twilio's API. */
  readonly unsupported: OwnRoute["work"];
}

/** Prefixes of Twilio's paths. Longwave's begin with /v1 and a small letter. */
const TWILIO_PATHS = /^\/(2010-04-01|v2|v1\/(?:PhoneNumbers|Services))(\/|$)/;

/** The Twilio-compatible API: Twilio's paths, authentication and error codes over Longwave's own routes. */
export function createApi(
  deps: TwilioDeps,
  pipeline: Calls,
  routes: readonly TwilioRoute[],
): TwilioApi {
  const compiled = new Map(routesAt("/v1").map((route) => [route.name, route]));
  const mount: Mount = {
    base: "/2010-04-01",
    authenticators: [basicKey(deps.keys, isUserName), authToken(deps)],
    refusal: () =>
      new Problem(
        "invalid_api_key",
        "The account's id, or the API key or auth token, is missing or wrong. Send them with HTTP Basic authentication: the account's id as user name, the key or token as password.",
      ),
    routes: [],
  };
  const compiledOf = (name: RouteName): CompiledRoute =>
    expect(compiled.get(name), `${name} is no route of the API`);

  const answer = async (route: TwilioRoute, exchange: Exchange): Promise<PipelineAnswer> => {
    const longwaveRoute = compiledOf(route.asRoute);
    const caller = (await pipeline.admit(mount, longwaveRoute, exchange)) as Principal;
    const { params, path } = exchange;
    checkAccountSid(params["account"], caller);
    const requestWith = (text: string): TwilioRequest => ({
      deps,
      caller,
      ip: exchange.ip,
      form: readForm(text, route.form),
      path,
      params,
      call: (name, made) => callLongwave(pipeline, compiledOf(name), exchange, caller, made),
    });
    const handled = () => {
      if (route.method === "GET") return route.handle(requestWith(exchange.rawQuery));
      checkFormType(exchange.request);
      return pipeline.withBody(exchange, caller, TWILIO_FORM_BYTES_MAX, (bytes) =>
        route.handle(requestWith(bytes.toString("utf8"))),
      );
    };
    // Twilio's pages may be ten times as long.
    const limitKind = longwaveRoute.limitKind === "list" ? "long_list" : longwaveRoute.limitKind;
    return pipeline.withinLimit({ limitKind }, exchange, limitKeyOf(caller), async () => handled());
  };

  const refusing =
    (family: Family, work: OwnRoute["work"]): OwnRoute["work"] =>
    async (exchange) => {
      try {
        return await work(exchange);
      } catch (error) {
        if (error instanceof TwilioRefusal) return refusalAnswer(error, family);
        const problem = problemFrom(error, deps.log, exchange.requestId);
        // Before authentication no family applies.
        return refusalAnswer(problem, exchange.caller === null ? "other" : family);
      }
    };

  const unknown = refusing("other", async (exchange) => {
    await pipeline.admit(mount, null, exchange);
    throw notSupported(
      `${exchange.request.method} ${exchange.path.slice(0, 100)} is not supported here.`,
    );
  });

  return {
    routes: routes.map((route) => ({
      method: route.method,
      path: route.path,
      work: refusing(route.family, (exchange) => answer(route, exchange)),
    })),
    fallback: (path) => (TWILIO_PATHS.test(path) ? unknown : null),
    unsupported: unknown,
  };
}

/**
 * Accepts any account sid of Twilio's, so that a program may keep its own; a Longwave id must be the key's
 * account.
 */
function isAccountSid(name: string, { account }: Principal): boolean {
  return /^AC[0-9a-fA-F]{32}$/.test(name) || name === toApiId("account", account.id);
}

/** With an API key as the password, an API key's sid (`SK…`) is a user name as well. */
function isUserName(name: string, caller: Principal): boolean {
  return /^SK[0-9a-fA-F]{32}$/.test(name) || isAccountSid(name, caller);
}

export function checkAccountSid(given: string | undefined, caller: Principal): void {
  if (given === undefined || isAccountSid(given, caller)) return;
  throw new TwilioRefusal(20404, "There is no such account for this key.");
}

/** The sid in a path ending in `SM….json`, the form of the 2010 API. */
export function sidIn({ params }: Pick<TwilioRequest, "params">): string {
  const { sid = "" } = params;
  return sid.endsWith(".json") ? sid.slice(0, -".json".length) : "";
}

export function accountSid({ account }: Principal): string {
  return toTwilioSid("account", account.id);
}

async function callLongwave(
  pipeline: Calls,
  route: CompiledRoute,
  exchange: Exchange,
  caller: Principal,
  { params = {}, query, body, handler }: LongwaveCall,
): Promise<LongwaveAnswer> {
  const { headers } = exchange.request;
  const key = headers["idempotency-key"] ?? headers["i-twilio-idempotency-token"] ?? null;
  const {
    status,
    text,
    body: made,
  } = await pipeline.call(route, exchange, caller, {
    input: { params, query, body },
    idempotencyKey: route.spec.method === "POST" ? key : null,
    ...(handler ? { handler } : {}),
  });
  // A replayed answer is stored as JSON.
  return { status, body: text === undefined ? made : JSON.parse(text) };
}
