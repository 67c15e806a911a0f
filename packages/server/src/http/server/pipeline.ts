import { Problem } from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import { expect } from "../../core/platform/assert.ts";
import { shownName } from "../../core/platform/outside-text.ts";
import type { Caller, Operator } from "../api/caller.ts";
import { checkConfirmed } from "../api/check-role.ts";
import type { Context, Handlers, PipelineAnswer } from "../api/handler.ts";
import { checkAccount, checkAddress, checkRoute, identify } from "../auth/admission.ts";
import { type JsonBody, readJson } from "../body/json-body.ts";
import { parseQuery } from "../body/query.ts";
import { type BodyBudget, type BodyBytes, hasBody, readBody } from "../body/read-body.ts";
import { networkOf } from "../exchange/client-address.ts";
import type { Exchange } from "../exchange/exchange.ts";
import {
  type ClaimOwner,
  claimOf,
  createRunOnce,
  type IdempotencyClaim,
  type OnceContext,
  type OnceOptions,
  operatorOwner,
} from "../idempotency/index.ts";
import type { AddressLimiter } from "../limits/address-limit.ts";
import { limitKeyOf, onClose, type WithinLimit } from "../limits/concurrency-limits.ts";
import type { RateLimiter } from "../limits/rate-limit.ts";
import type { RefusalThrottle } from "../limits/refusal-throttle.ts";
import type { AnyHandler, CallInput, Calls } from "./calls.ts";
import { openFile } from "./file-body.ts";
import type { CompiledRoute, Mount } from "./mounts.ts";

export interface Pipeline extends Calls {
  /** Runs one request, in order; throws a Problem for every refusal. */
  handle(mount: Mount, route: CompiledRoute, exchange: Exchange): Promise<PipelineAnswer>;
}

export interface PipelineOptions<D extends Base> {
  readonly deps: D;
  readonly handlers: Handlers<D>;
  readonly rates: RateLimiter;
  readonly addresses: AddressLimiter;
  readonly bodies: BodyBudget;
  /** Paces repeated refusals. */
  readonly refusalThrottle: RefusalThrottle;
  readonly withinLimit: WithinLimit;
}

/** For requests without a body. */
const NO_BYTES: BodyBytes = { take() {}, release() {} };

export function createPipeline<D extends Base>(options: PipelineOptions<D>): Pipeline {
  const { deps, handlers, bodies, withinLimit } = options;
  const admit = createAdmit(options);
  const perform = createPerform(deps);

  const answer = async (
    route: CompiledRoute,
    exchange: Exchange,
    caller: Caller,
    bytes: BodyBytes,
  ): Promise<PipelineAnswer> => {
    const body = await readJson(route, exchange.request, bytes, (parsed) => {
      exchange.parsedBody = parsed;
    });
    const query = queryOf(route, exchange.rawQuery);
    const input = { params: exchange.params, query, body: body.value };
    const handler = handlers[route.name] as unknown as AnyHandler;
    const claim = await claimIn(route, exchange, caller, body);
    return perform(exchange, caller, { input, handler, claim });
  };

  const withBody = async (
    route: CompiledRoute,
    exchange: Exchange,
    caller: Caller,
  ): Promise<PipelineAnswer> => {
    if (!hasBody(exchange.request)) return answer(route, exchange, caller, NO_BYTES);
    return withBodyBytes(bodies, caller, (bytes) => answer(route, exchange, caller, bytes));
  };

  /** Like `answer`, for a file that the handler reads: the claim is known afterwards. */
  const answerFile = async (route: CompiledRoute, exchange: Exchange, caller: Caller) => {
    const file = openFile(route.spec, exchange.request);
    const query = queryOf(route, exchange.rawQuery);
    const input = { params: exchange.params, query, body: file.pieces };
    const handler = handlers[route.name] as unknown as AnyHandler;
    const claim = async () =>
      expect(
        await claimIn(route, exchange, caller, { value: file.digest(), isLarge: false }),
        "a request with a key claims nothing",
      );
    const isKeyed = exchange.request.headers["idempotency-key"] !== undefined;
    return perform(exchange, caller, { input, handler, claim: isKeyed ? claim : null });
  };

  return {
    admit,
    rejectUnauthenticated: (exchange, refusal) => rejectUnauthenticated(options, exchange, refusal),
    withinLimit,
    async call(route, exchange, caller, { input, idempotencyKey, handler }) {
      await route.validateBody?.(input.body, []);
      const used = handler ?? (handlers[route.name] as unknown as AnyHandler);
      const claimed = { method: route.spec.method, path: route.path, body: input.body };
      const claim =
        idempotencyKey === null
          ? null
          : await claimOf(idempotencyKey, ownerOf(caller), { ...claimed, isLarge: false }, false);
      return perform(exchange, caller, { input, handler: used, claim });
    },
    withBody: (exchange, caller, bytesMax, use) =>
      withBodyBytes(bodies, caller, async (bytes) =>
        use(await readBody(exchange.request, bytesMax, bytes)),
      ),
    async handle(mount, route, exchange) {
      const caller = await admit(mount, route, exchange);
      if (route.spec.takes !== undefined) return answerFile(route, exchange, caller);
      if (route.limitKind === null) return withBody(route, exchange, caller);
      // No byte of a body is read before the call has its concurrency slot.
      return withinLimit(route, exchange, limitKeyOf(caller), () =>
        withBody(route, exchange, caller),
      );
    },
  };
}

type Limiters = Pick<PipelineOptions<Base>, "rates" | "addresses" | "refusalThrottle">;

async function rejectUnauthenticated(
  { addresses, refusalThrottle }: Limiters,
  { ip }: Exchange,
  refusal: () => Problem,
): Promise<never> {
  const { problem, isLimited } = addresses.refuse(ip, refusal);
  if (isLimited) await refusalThrottle.wait(networkOf(ip));
  throw problem;
}

function createAdmit(options: Limiters): Calls["admit"] {
  const { rates, refusalThrottle } = options;
  return async (mount, route, exchange) => {
    const found = identify(mount.authenticators, exchange);
    const caller = found instanceof Promise ? await found : found;
    if (!caller) return rejectUnauthenticated(options, exchange, mount.refusal);
    exchange.caller = caller;
    exchange.readmit = () => readmit(mount, route, exchange);
    if (caller.kind === "operator") return checkedOperator(caller, route);
    // Spends the token as soon as the account is known, whatever the outcome. The refusal for an empty bucket comes
    // after the refusals of the account and the route.
    const taking = rates.take(caller);
    const taken = taking instanceof Promise ? await taking : taking;
    Object.assign(exchange.headers, taken.headers);
    if (taken.refusal) await refusalThrottle.wait(caller.account.id);
    checkAccount(caller);
    checkAddress(caller, exchange.ip);
    if (route) checkRoute(caller, route);
    if (route && taken.refusal) throw taken.refusal;
    return caller;
  };
}

/** Repeats the refusals of `admit`, except rates, for a call that stayed open. */
async function readmit(
  mount: Mount,
  route: CompiledRoute | null,
  exchange: Exchange,
): Promise<void> {
  const caller = await identify(mount.authenticators, exchange);
  if (!caller) throw mount.refusal();
  if (caller.kind === "operator") return;
  checkAccount(caller);
  checkAddress(caller, exchange.ip);
  if (route) checkRoute(caller, route);
}

function checkedOperator(operator: Operator, route: CompiledRoute | null): Operator {
  if (route) checkConfirmed(operator, route.name);
  return operator;
}

type Perform = (
  exchange: Exchange,
  caller: Caller,
  made: { input: CallInput; handler: AnyHandler; claim: OnceOptions["claim"] | null },
) => Promise<PipelineAnswer>;

/** Runs a handler: once per Idempotency-Key, if the request has one. */
function createPerform(deps: Base): Perform {
  const runOnce = createRunOnce(deps);
  return async (exchange, caller, { input, handler, claim }) => {
    const handle = (once: OnceContext | null) =>
      handler(new RequestContext(deps, caller, exchange, once), input);
    if (!claim) return handle(null);
    const checkFields = () => handler.checkFields?.(deps, input);
    return runOnce({ claim, serialize: exchange.serialize, checkFields }, handle);
  };
}

/** Keeps the body's bytes in the budget until the answer is known: the parsed body is larger than its bytes. */
async function withBodyBytes<T>(
  bodies: BodyBudget,
  caller: Caller,
  work: (bytes: BodyBytes) => Promise<T>,
): Promise<T> {
  const bytes = bodies.open(caller.kind === "operator" ? null : caller.account.id);
  try {
    return await work(bytes);
  } finally {
    bytes.release();
  }
}

/** Every POST may carry an Idempotency-Key. */
function claimIn(
  { spec }: CompiledRoute,
  { request, path }: Exchange,
  caller: Caller,
  { value, isLarge }: JsonBody,
): IdempotencyClaim | null | Promise<IdempotencyClaim> {
  const key = request.headers["idempotency-key"];
  if (spec.method !== "POST" || key === undefined) return null;
  const work = { method: spec.method, path, body: value, isLarge };
  return claimOf(key, ownerOf(caller), work, spec.secretAnswer === true);
}

function ownerOf(caller: Caller): ClaimOwner {
  if (caller.kind === "operator")
    return operatorOwner(caller.user?.userId ?? caller.token?.tokenId);
  return { shard: caller.account.shard, accountId: caller.account.id, mode: caller.mode };
}

/** Context of a handler. A class with getters, because every request makes one and few handlers use all of it. */
class RequestContext implements Context<Caller> {
  readonly deps: Base;
  readonly caller: Caller;
  readonly #exchange: Exchange;
  readonly #once: OnceContext | null;

  constructor(deps: Base, caller: Caller, exchange: Exchange, once: OnceContext | null) {
    this.deps = deps;
    this.caller = caller;
    this.#exchange = exchange;
    this.#once = once;
  }
  get requestId() {
    return this.#exchange.requestId;
  }
  get ip() {
    return this.#exchange.ip;
  }
  get serialize() {
    return this.#exchange.serialize;
  }
  get claim() {
    return this.#once ? this.#once.takeOver() : null;
  }
  get readmit(): Context<Caller>["readmit"] {
    return this.#exchange.readmit;
  }
  get onGone(): Context<Caller>["onGone"] {
    const { socket } = this.#exchange.request;
    return (listener) => onClose(socket, listener);
  }
  get transact(): Context<Caller>["transact"] {
    const { deps, caller } = this;
    const transact: Context<Caller>["transact"] =
      this.#once?.transact ?? ((work) => deps.db.tx(work));
    if (caller.kind === "operator") return transact;
    return (work) => deps.transactionSlots.run(caller.account.id, () => transact(work));
  }
}

function queryOf(route: CompiledRoute, rawQuery: string): unknown {
  const query = parseQuery(rawQuery, route.spec.query);
  if (route.validateQuery) {
    route.validateQuery(query);
    return query;
  }
  const [unknown] = Object.keys(query);
  if (unknown !== undefined) {
    const name = shownName(unknown);
    throw new Problem("invalid_request", `${name} is not a parameter of this call. Leave it out.`, {
      param: name,
    });
  }
  return undefined;
}
