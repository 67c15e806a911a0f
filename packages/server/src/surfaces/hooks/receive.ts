import { HOOK_CALL_BYTES_MAX, Problem } from "@longwave/contract";
import { readAccount } from "../../account/accounts/index.ts";
import { expect } from "../../core/platform/assert.ts";
import { fromApiId } from "../../core/platform/ids.ts";
import type { KeyPrincipal, Principal } from "../../http/api/caller.ts";
import type { PipelineAnswer } from "../../http/api/handler.ts";
import type { Exchange } from "../../http/exchange/exchange.ts";
import { type AnonymousBody, createAnonymousBodies } from "../../http/limits/anonymous-bodies.ts";
import { createParseQueue } from "../../http/limits/parse-queue.ts";
import type { Calls } from "../../http/server/calls.ts";
import { routesAt } from "../../http/server/mounts.ts";
import type { OwnRoute } from "../../http/server/router.ts";
import {
  contentOf,
  contentTypeOf,
  isSame,
  type SignatureFault,
  signedCallFault,
  signedHeadFault,
} from "../../network/carriers/index.ts";
import { acceptedAnswer, refusedAnswer } from "./answers.ts";
import { signaturesOf } from "./declaration.ts";
import type { HooksDeps, Receiving } from "./deps.ts";
import { type HookRow, hookPath, hookSecret } from "./hook-row.ts";
import { noteRefusal, noteRequest } from "./log.ts";
import { pathsOf, readCall } from "./read-call.ts";
import { sendMessages } from "./send-messages.ts";
import { findCalledHook } from "./sql.ts";

/** Memory limit of all calls being read. */
const BODIES_BYTES_MAX = 64 * HOOK_CALL_BYTES_MAX;

/** Addresses that other programs call. */
export function hookRoutes(deps: HooksDeps, pipeline: Calls): OwnRoute[] {
  const bodies = createAnonymousBodies(BODIES_BYTES_MAX);
  const sendRoute = expect(
    routesAt("/v1").find(({ name }) => name === "messages.send"),
    "messages.send is no route of the API",
  );
  const readInTurn = createParseQueue(deps.clock);
  const receiving = { deps, pipeline, sendRoute, readInTurn };
  return ["/hooks/{id}", "/hooks/{id}/{secret}"].map((path) => ({
    method: "POST",
    path,
    work: async (exchange) => {
      const reading = bodies.open(exchange);
      try {
        const hook = await calledHook(deps, exchange.params["id"] ?? "");
        if (!hook) return await pipeline.rejectUnauthenticated(exchange, nothingHere);
        const body = await readSigned(receiving, exchange, hook, reading);
        return await answerCall(receiving, exchange, hook, body);
      } finally {
        reading.release();
      }
    },
  }));
}

async function calledHook({ db }: HooksDeps, apiId: string): Promise<HookRow | null> {
  const id = fromApiId("hook", apiId);
  const [row] = id === null ? [] : await db.query<HookRow>(findCalledHook, [id]);
  return row ?? null;
}

function nothingHere(): Problem {
  return new Problem("not_found", "There is no hook at this address. Copy it from the hook.");
}

/** Body of a call whose signature is right. An anonymous client costs one query and, at most, one body. */
async function readSigned(
  { deps, pipeline }: Receiving,
  exchange: Exchange,
  hook: HookRow,
  reading: AnonymousBody,
): Promise<Buffer> {
  const secret = hookSecret(deps, hook);
  const signatures = signaturesOf(hook.declaration, secret);
  const nowMs = deps.clock.realNow();
  const { request, params, rawQuery: query } = exchange;
  const refuse = async (fault: SignatureFault | null) => {
    if (fault === null) return;
    const problem = new Problem("invalid_api_key", fault.sentences, { param: fault.at });
    // The refusal may wait, and its body need not wait with it.
    reading.release();
    await noteRefusal(deps, hook, problem);
    await pipeline.rejectUnauthenticated(exchange, () => problem);
  };
  const head = { method: request.method ?? "", headers: request.headers, query };
  await refuse(pathFault(hook, secret, params["secret"] || null));
  if (signatures.length > 0) await refuse(signedHeadFault(head, signatures, nowMs));
  const body = await reading.read(HOOK_CALL_BYTES_MAX);
  if (signatures.length > 0) {
    const origin = deps.config.publicUrl ?? "";
    const path = hookPath(hook.id, hook.declaration) + (query === "" ? "" : `?${query}`);
    const call = { ...head, body, url: origin + path };
    await refuse(signedCallFault(call, signatures, nowMs));
  }
  return body;
}

function pathFault(
  { declaration }: HookRow,
  secret: string,
  given: string | null,
): SignatureFault | null {
  if (declaration.signature) {
    if (given === null) return null;
    const sentences = "The path has a part too many: calls of this hook are signed. Leave it out.";
    return { at: "the path", sentences };
  }
  if (isSame(given ?? "", secret)) return null;
  const sentences = "The path does not end in the hook's secret. Copy the hook's whole address.";
  return { at: "the path's last part", sentences };
}

async function answerCall(
  receiving: Receiving,
  exchange: Exchange,
  hook: HookRow,
  body: Buffer,
): Promise<PipelineAnswer> {
  const { deps } = receiving;
  const id = deps.ids.make();
  let paths: string[] = [];
  try {
    const caller = await admitted(receiving, exchange, hook);
    const { headers } = exchange.request;
    const { rawQuery } = exchange;
    const messages = await receiving.readInTurn(hook.account_id, async () => {
      const root = contentOf({ contentType: contentTypeOf(headers), query: rawQuery, body });
      paths = pathsOf(root);
      const query = Object.fromEntries(new URLSearchParams(rawQuery));
      return readCall(deps, hook.declaration, hook.recipients, { root, headers, query });
    });
    const sent = await sendMessages(receiving, exchange, { caller, hook, id, messages });
    const answer = acceptedAnswer(deps, hook, sent);
    await noteRequest(deps.db, hook, { id, status: answer.status, problem: null, paths });
    return answer;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const answer = refusedAnswer(hook, error);
    const status = answer?.status ?? error.status;
    await noteRequest(deps.db, hook, { id, status, problem: error, paths });
    if (answer === null) throw error;
    return answer;
  }
}

/** The hook as a caller: its account is active, has live access where it needs it, and a request left. */
async function admitted(
  { deps, pipeline, sendRoute }: Receiving,
  exchange: Exchange,
  hook: HookRow,
): Promise<Principal> {
  const account = expect(await readAccount(deps.db, hook.account_id), "a hook has no account");
  const caller: KeyPrincipal = {
    kind: "key",
    account,
    mode: hook.mode,
    scopes: new Set(["messages:send"]),
    // The hook's id stands in for a key's in logs.
    keyId: hook.id,
    keyName: "hook",
    allowedIps: null,
  };
  const mount = {
    base: "/hooks",
    authenticators: [() => caller],
    refusal: nothingHere,
    routes: [],
  };
  await pipeline.admit(mount, sendRoute, exchange);
  if (hook.active) return caller;
  throw new Problem("invalid_state", "The hook is paused. Resume it with PATCH /v1/hooks/{id}.");
}
