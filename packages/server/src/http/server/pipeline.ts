import { Problem } from "@longwave/contract";
import type { Caller, Operator } from "../api/caller.ts";
import { checkConfirmed } from "../api/check-confirmed.ts";
import type { Context, Handlers, PipelineAnswer } from "../api/handler.ts";
import type { Base } from "../base.ts";
import {
  type ClaimOwner,
  claimOf,
  handleFileOnce,
  handleOnce,
  type IdempotencyClaim,
  type OnceContext,
  OPERATOR_OWNER,
} from "../idempotency/index.ts";
import { expect } from "../platform/assert.ts";
import { shownName } from "../platform/outside-text.ts";
import type { AddressLimiter } from "./address-limit.ts";
import { checkAccount, checkRoute, identify } from "./admission.ts";
import type { AnyHandler, CallInput, Calls } from "./calls.ts";
import { networkOf } from "./client-address.ts";
import type { CompiledRoute, Entrance } from "./entrances.ts";
import type { Exchange } from "./exchange.ts";
import { openFile } from "./file-body.ts";
import type { HeldBack } from "./held-back.ts";
import { type InTurn, onClose, turnHolderOf } from "./in-turn.ts";
import { type JsonBody, readJson } from "./json-body.ts";
import { parseQuery } from "./query.ts";
import type { RateLimiter } from "./rate-limit.ts";
import { type BodyBudget, type BodyBytes, hasBody, readBody } from "./read-body.ts";

export interface Pipeline extends Calls {
  /** The life of one request, in order; throws a Problem for every refusal. */
  handle(entrance: Entrance, route: CompiledRoute, exchange: Exchange): Promise<PipelineAnswer>;
}

export interface PipelineOptions<D extends Base> {
  readonly deps: D;
  readonly handlers: Handlers<D>;
  readonly rates: RateLimiter;
  readonly addresses: AddressLimiter;
  readonly bodies: BodyBudget;
  /** Those who were refused, and ask on. */
  readonly heldBack: HeldBack;
  readonly inTurn: InTurn;
}

/** For requests that bring no body. */
const NO_BYTES: BodyBytes = { take() {}, release() {} };

export function createPipeline<D extends Base>(options: PipelineOptions<D>): Pipeline {
  const { deps, handlers, bodies, inTurn } = options;
  const admit = createAdmit(options);

  const answer = async (
    route: CompiledRoute,
    exchange: Exchange,
    caller: Caller,
    bytes: BodyBytes,
  ): Promise<PipelineAnswer> => {
    const body = await readJson(route, exchange.request, bytes);
    const query = queryOf(route, exchange.rawQuery);
    const input = { params: exchange.params, query, body: body.value };
    const handler = handlers[route.name] as unknown as AnyHandler;
    const claim = await claimIn(route, exchange, caller, body);
    return perform(deps, exchange, caller, { input, handler, claim });
  };

  const withBody = async (
    route: CompiledRoute,
    exchange: Exchange,
    caller: Caller,
  ): Promise<PipelineAnswer> => {
    if (!hasBody(exchange.request)) return answer(route, exchange, caller, NO_BYTES);
    return holding(bodies, caller, (bytes) => answer(route, exchange, caller, bytes));
  };

  /** The same for a file, which the handler reads: what a key claims is known when it has. */
  const answerFile = async (route: CompiledRoute, exchange: Exchange, caller: Caller) => {
    const file = openFile(route.spec, exchange.request);
    const query = queryOf(route, exchange.rawQuery);
    const input = { params: exchange.params, query, body: file.pieces };
    const handler = handlers[route.name] as unknown as AnyHandler;
    if (exchange.request.headers["idempotency-key"] === undefined) {
      return handler(new RequestContext(deps, caller, exchange, null), input);
    }
    const claim = async () =>
      expect(
        await claimIn(route, exchange, caller, { value: file.digest(), isLarge: false }),
        "a request with a key claims nothing",
      );
    return handleFileOnce({ deps, claim, serialize: exchange.serialize }, (once) =>
      handler(new RequestContext(deps, caller, exchange, once), input),
    );
  };

  return {
    admit,
    inTurn,
    async call(route, exchange, caller, { input, idempotencyKey, handler }) {
      await route.validateBody?.(input.body, []);
      const used = handler ?? (handlers[route.name] as unknown as AnyHandler);
      const claimed = { method: route.spec.method, path: route.path, body: input.body };
      const claim =
        idempotencyKey === null
          ? null
          : await claimOf(idempotencyKey, ownerOf(caller), { ...claimed, isLarge: false }, false);
      return perform(deps, exchange, caller, { input, handler: used, claim });
    },
    withBody: (exchange, caller, bytesMax, use) =>
      holding(bodies, caller, async (bytes) =>
        use(await readBody(exchange.request, bytesMax, bytes)),
      ),
    async handle(entrance, route, exchange) {
      const caller = await admit(entrance, route, exchange);
      if (route.spec.takes !== undefined) return answerFile(route, exchange, caller);
      if (route.turnKind === null) return withBody(route, exchange, caller);
      // Nothing of a body is read before its turn.
      return inTurn(route, exchange, turnHolderOf(caller), () => withBody(route, exchange, caller));
    },
  };
}

type Limiters = Pick<PipelineOptions<Base>, "rates" | "addresses" | "heldBack">;

async function refuseStranger(
  { addresses, heldBack }: Limiters,
  { refusal }: Entrance,
  { ip }: Exchange,
): Promise<never> {
  const { problem, isLimited } = addresses.refuse(ip, refusal);
  if (isLimited) await heldBack.wait(networkOf(ip));
  throw problem;
}

function createAdmit(options: Limiters): Calls["admit"] {
  const { rates, heldBack } = options;
  return async (entrance, route, exchange) => {
    const found = identify(entrance.ways, exchange);
    const caller = found instanceof Promise ? await found : found;
    if (!caller) return refuseStranger(options, entrance, exchange);
    exchange.caller = caller;
    if (caller.kind === "operator") return checkedOperator(caller, route);
    // The token is spent as soon as it is known whose it is, whatever becomes of the request; that
    // there was none left is said after the refusals that come before it.
    const taking = rates.take(caller);
    const taken = taking instanceof Promise ? await taking : taking;
    Object.assign(exchange.headers, taken.headers);
    if (taken.refusal) await heldBack.wait(caller.account.id);
    checkAccount(caller);
    if (route) checkRoute(caller, route);
    if (route && taken.refusal) throw taken.refusal;
    return caller;
  };
}

function checkedOperator(operator: Operator, route: CompiledRoute | null): Operator {
  if (route) checkConfirmed(operator, route.name);
  return operator;
}

/** Runs a handler, once where a key was claimed for it. */
async function perform(
  deps: Base,
  exchange: Exchange,
  caller: Caller,
  made: { input: CallInput; handler: AnyHandler; claim: IdempotencyClaim | null },
): Promise<PipelineAnswer> {
  const { input, handler, claim } = made;
  if (!claim) return handler(new RequestContext(deps, caller, exchange, null), input);
  const checkFields = () => handler.checkFields?.(deps, input);
  return handleOnce({ deps, claim, serialize: exchange.serialize, checkFields }, (once) =>
    handler(new RequestContext(deps, caller, exchange, once), input),
  );
}

/** Bytes of a body are held until the answer is known: what was made of them is larger than they are. */
async function holding<T>(
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
  if (caller.kind === "operator") return OPERATOR_OWNER;
  return { shard: caller.account.shard, accountId: caller.account.id, mode: caller.mode };
}

/**
 * What a handler is given. A class, because this is made for every request: what a getter gives is
 * made only for those who ask.
 */
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
  get onGone(): Context<Caller>["onGone"] {
    const { socket } = this.#exchange.request;
    return (hear) => onClose(socket, hear);
  }
  get transact(): Context<Caller>["transact"] {
    const { deps, caller } = this;
    const transact: Context<Caller>["transact"] =
      this.#once?.transact ?? ((work) => deps.db.tx(work));
    if (caller.kind === "operator") return transact;
    return async (work) => {
      const giveBack = await deps.transactionTurns.take(caller.account.id);
      try {
        return await transact(work);
      } finally {
        giveBack();
      }
    };
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
