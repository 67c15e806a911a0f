import { Problem } from "@longwave/contract";
import { createBodyBudget, readBody } from "../../../http/body/read-body.ts";
import type { Calls } from "../../../http/server/calls.ts";
import type { OwnRoute } from "../../../http/server/router.ts";
import { isSame } from "../../carriers/index.ts";
import type { RegistrationsDeps } from "../deps.ts";
import { findByReference } from "../sql.ts";
import { callbackToken } from "./callback-url.ts";
import { followSoon } from "./follow-task.ts";

const BODY_BYTES_MAX = 64 * 1024;
/** A notification about a brand reads its campaigns from the registry. */
const CALL_MS_MAX = 5_000;
/** Memory limit of all notifications being read. */
const bodies = createBodyBudget(16 * BODY_BYTES_MAX);

interface Named {
  readonly shard: number;
  readonly account_id: string;
  readonly id: string;
}

/**
 * Address that the registry notifies of changes. A notification only names a filing: its state is read from the registry,
 * so that a forged one changes nothing.
 */
export function registryCallbackRoutes(deps: RegistrationsDeps, pipeline: Calls): OwnRoute[] {
  const token = callbackToken(deps);
  return [
    {
      method: "POST",
      path: "/registry-callbacks/{token}",
      work: async (exchange) => {
        const { registry } = deps;
        const isKnown = isSame(exchange.params["token"] ?? "", token);
        if (!isKnown || !registry?.referencesIn) {
          return await pipeline.rejectUnauthenticated(exchange, nothingHere);
        }
        const budget = bodies.open(null);
        try {
          const body = await readBody(exchange.request, BODY_BYTES_MAX, budget);
          const signal = AbortSignal.timeout(CALL_MS_MAX);
          const references = await registry.referencesIn(parse(body.toString("utf8")), signal);
          for (const reference of references) await follow(deps, reference);
          return { status: 200, body: {} };
        } finally {
          budget.release();
        }
      },
    },
  ];
}

async function follow(deps: RegistrationsDeps, reference: string): Promise<void> {
  const [row] = await deps.db.query<Named>(findByReference, [reference]);
  if (row) await deps.db.tx((tx) => followSoon(deps, tx, row));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw unreadable(cause);
  }
}

function unreadable(cause: unknown): Problem {
  const message = "The notification is not JSON. Send it as the registry does.";
  return new Problem("invalid_request", message, { cause });
}

function nothingHere(): Problem {
  return new Problem("not_found", "No registry notifies this address.");
}
