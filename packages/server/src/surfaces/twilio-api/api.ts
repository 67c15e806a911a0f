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
import type { TwilioDeps } from "./deps.ts";
import { checkFormType, type Form, type FormRules, readForm } from "./form.ts";
import { type Family, notDone, refusalAnswer, TwilioRefusal } from "./refusals.ts";

/** One call of theirs that was let in. */
export interface TwilioRequest {
  readonly deps: TwilioDeps;
  readonly caller: Principal;
  readonly ip: string;
  readonly form: Form;
  /** The path as it was asked for. */
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  /** Makes a call of our own table on behalf of the caller, and answers what it answers. */
  call(name: RouteName, made: CallOfOurs): Promise<OurAnswer>;
}

interface CallOfOurs {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: unknown;
  readonly body?: unknown;
  readonly handler?: AnyHandler;
}

export interface OurAnswer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the caller knows which route it asked
  readonly body: any;
}

export interface TwilioRoute {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly family: Family;
  /** The call of ours that it stands for: whoever may make that one may make this. */
  readonly asRoute: RouteName;
  readonly form: FormRules;
  handle(visit: TwilioRequest): Promise<PipelineAnswer>;
}

/** What the server is given of the door. */
export interface TwilioApi {
  readonly routes: readonly OwnRoute[];
  /** For paths of theirs that nothing here answers. */
  readonly elsewhere: (path: string) => OwnRoute["work"] | null;
}

/** While the door is closed there is nothing behind it. */
export const DISABLED_API: TwilioApi = { routes: [], elsewhere: () => null };

/** Where their paths begin; ours begin with /v1. */
const THEIRS = /^\/(2010-04-01|v2)(\/|$)/;

/** Opens the door: their paths, their way to authenticate, their refusals; behind it our own calls. */
export function openApi(
  deps: TwilioDeps,
  pipeline: Calls,
  routes: readonly TwilioRoute[],
): TwilioApi {
  const compiled = new Map(routesAt("/v1").map((route) => [route.name, route]));
  const entrance: Mount = {
    base: "/2010-04-01",
    authenticators: [basicKey(deps.keys, isNameOf)],
    refusal: () =>
      new Problem(
        "invalid_api_key",
        "The account's id or the API key is missing or wrong. Send them with HTTP Basic authentication: the account's id as user name, the key as password.",
      ),
    routes: [],
  };
  const compiledOf = (name: RouteName): CompiledRoute =>
    expect(compiled.get(name), `${name} is no route of the API`);

  const answer = async (route: TwilioRoute, exchange: Exchange): Promise<PipelineAnswer> => {
    const stoodFor = compiledOf(route.asRoute);
    const caller = (await pipeline.admit(entrance, stoodFor, exchange)) as Principal;
    const { params, path } = exchange;
    checkAccountSid(params["account"], caller);
    const visitWith = (text: string): TwilioRequest => ({
      deps,
      caller,
      ip: exchange.ip,
      form: readForm(text, route.form),
      path,
      params,
      call: (name, made) => callOurs(pipeline, compiledOf(name), exchange, caller, made),
    });
    const handled = () => {
      if (route.method === "GET") return route.handle(visitWith(exchange.rawQuery));
      checkFormType(exchange.request);
      return pipeline.withBody(exchange, caller, TWILIO_FORM_BYTES_MAX, (bytes) =>
        route.handle(visitWith(bytes.toString("utf8"))),
      );
    };
    // Their pages may be ten times as long as ours.
    const limitKind = stoodFor.limitKind === "list" ? "long_list" : stoodFor.limitKind;
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
        // Before somebody is let in nothing of the family has happened.
        return refusalAnswer(problem, exchange.caller === null ? "other" : family);
      }
    };

  const unknown = refusing("other", async (exchange) => {
    await pipeline.admit(entrance, null, exchange);
    throw notDone(
      `${exchange.request.method} ${exchange.path.slice(0, 100)} is not supported here.`,
    );
  });

  return {
    routes: routes.map((route) => ({
      method: route.method,
      path: route.path,
      work: refusing(route.family, (exchange) => answer(route, exchange)),
    })),
    elsewhere: (path) => (THEIRS.test(path) ? unknown : null),
  };
}

/** Any account sid of theirs will do, so that a program's own may stay; one of ours must be the key's. */
function isNameOf(name: string, { account }: Principal): boolean {
  return /^AC[0-9a-fA-F]{32}$/.test(name) || name === toApiId("account", account.id);
}

function checkAccountSid(given: string | undefined, caller: Principal): void {
  if (given === undefined || isNameOf(given, caller)) return;
  throw new TwilioRefusal(20404, "There is no such account for this key.");
}

/** What a path names as `SM….json`: their older paths end so. */
export function sidIn({ params }: Pick<TwilioRequest, "params">): string {
  const { sid = "" } = params;
  return sid.endsWith(".json") ? sid.slice(0, -".json".length) : "";
}

export function accountSid({ account }: Principal): string {
  return toTwilioSid("account", account.id);
}

async function callOurs(
  pipeline: Calls,
  route: CompiledRoute,
  exchange: Exchange,
  caller: Principal,
  { params = {}, query, body, handler }: CallOfOurs,
): Promise<OurAnswer> {
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
  // What was said before is kept as text.
  return { status, body: text === undefined ? made : JSON.parse(text) };
}
