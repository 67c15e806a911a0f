import { Problem } from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import type { Exchange } from "../../http/exchange/exchange.ts";
import { createAnonymousBodies } from "../../http/limits/anonymous-bodies.ts";
import { createParseQueue, type ParseInTurn } from "../../http/limits/parse-queue.ts";
import type { Calls } from "../../http/server/calls.ts";
import type { OwnRoute } from "../../http/server/router.ts";
import {
  CALLBACK_KINDS,
  type CallbackAnswer,
  type CallbackKind,
  type CallbackRequest,
} from "./carrier.ts";
import { CALLBACKS_PATH } from "./http/callbacks.ts";
import { contentTypeOf } from "./http/content.ts";
import { type KeepDeps, keepUnreadable } from "./kept-callbacks.ts";
import type { Carriers } from "./routing.ts";

const BODY_BYTES_MAX = 256 * 1024;
/** Bodies above this size queue. */
const SMALL_BODY_BYTES = 16 * 1024;
/** Memory limit of all callback bodies being read. */
const bodies = createAnonymousBodies(64 * BODY_BYTES_MAX);

/** Refusals before the signature is checked are logged once in so long per carrier and reason, with their number. */
const REFUSALS_LOGGED_EVERY_MS = 60_000;

interface CallbackDeps extends KeepDeps, Pick<Base, "log"> {
  readonly carriers: Carriers;
}

type Limits = Pick<Calls, "rejectUnauthenticated">;
type LogRefusal = (
  carrier: string,
  kind: CallbackKind,
  problem: Problem,
  isSigned: boolean,
) => void;

/**
 * Routes for callbacks of HTTP carriers, served by any process. A 2xx status means that the
 * callback is stored; any other asks the carrier to repeat it. Bodies are empty unless the carriers
 * file declares one, because some carriers text a body to the sender. The server leaves out those of errors.
 */
export function callbackRoutes(deps: CallbackDeps, limits: Limits): OwnRoute[] {
  const taking = { deps, limits, logRefusal: createRefusalLog(deps) };
  const parseInTurn = createParseQueue(deps.clock);
  const paths = ["{carrier}/{kind}", "{carrier}/{kind}/{token}"].map((end) => CALLBACKS_PATH + end);
  return paths.flatMap((path) =>
    ["POST", "GET"].map((method) => ({
      method,
      path,
      work: async (exchange: Exchange) => {
        const { status, contentType, body } = await take({ ...taking, parseInTurn }, exchange);
        const headers = contentType === null ? {} : { "content-type": contentType };
        return { status, body: null, raw: body, headers };
      },
    })),
  );
}

interface Taking {
  readonly deps: CallbackDeps;
  readonly limits: Limits;
  readonly logRefusal: LogRefusal;
  readonly parseInTurn: ParseInTurn;
}

async function take(
  { deps, limits, logRefusal, parseInTurn }: Taking,
  exchange: Exchange,
): Promise<CallbackAnswer> {
  const { request, params, rawQuery } = exchange;
  const link = deps.carriers.all().find(({ name }) => name === params["carrier"]);
  const kind = CALLBACK_KINDS.find((one) => one === params["kind"]);
  if (!link?.callbacks || !kind) return limits.rejectUnauthenticated(exchange, nothingHere);
  const head = {
    kind,
    method: request.method ?? "",
    headers: request.headers,
    token: params["token"] || null,
    query: rawQuery,
  };
  const reading = bodies.open(exchange);
  let signed: CallbackRequest | null = null;
  try {
    const { callbacks } = link;
    callbacks.checkHead(head);
    const whole = { ...head, body: await reading.read(BODY_BYTES_MAX) };
    callbacks.checkSignature(whole);
    signed = whole;
    const read = () => callbacks.take(whole);
    return await (whole.body.length > SMALL_BODY_BYTES ? parseInTurn("large", read) : read());
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    logRefusal(link.name, kind, error, signed !== null);
    if (signed !== null && error.code === "invalid_request") {
      await keep(deps, link.name, signed, error);
    }
    if (error.code !== "invalid_api_key") throw error;
    // The refusal may wait, and its body need not wait with it.
    reading.release();
    return await limits.rejectUnauthenticated(exchange, () => error);
  } finally {
    reading.release();
  }
}

/** Keeps a callback whose signature is right and whose contents cannot be read. */
async function keep(
  deps: CallbackDeps,
  carrier: string,
  { kind, query, headers, body }: CallbackRequest,
  { message: reason }: Problem,
): Promise<void> {
  const contentType = contentTypeOf(headers);
  const kept = { carrier, kind, query, contentType, body, reason, isItem: false };
  await keepUnreadable(deps, [kept]).catch((error: unknown) =>
    deps.log.warn({ err: error, carrier, kind }, "carriers: unreadable callback not kept"),
  );
}

function nothingHere(): Problem {
  return new Problem("not_found", "No carrier brings anything to this path.");
}

/** Logs refusals; those of anonymous clients, who could fill the log, once a minute per reason. */
function createRefusalLog({ clock, log }: CallbackDeps): LogRefusal {
  const unauthenticated = new Map<string, { loggedAtMs: number; refused: number }>();
  return (carrier, kind, { status, message: reason, details }, isSigned) => {
    const facts = { carrier, kind, status, reason, at: details.param };
    if (isSigned) {
      log.warn(facts, "carriers: callback refused");
      return;
    }
    const nowMs = clock.monotonic();
    // Reasons are fixed sentences, so the map stays small.
    const key = `${carrier} ${kind} ${reason}`;
    const known = unauthenticated.get(key);
    if (known && nowMs - known.loggedAtMs < REFUSALS_LOGGED_EVERY_MS) {
      known.refused += 1;
      return;
    }
    unauthenticated.set(key, { loggedAtMs: nowMs, refused: 0 });
    const more = known?.refused ? { refused_since_last_line: known.refused } : {};
    log.warn({ ...facts, ...more }, "carriers: callback refused");
  };
}
