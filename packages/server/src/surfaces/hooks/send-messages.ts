import { createHash } from "node:crypto";
import { counted, Problem } from "@longwave/contract";
import { fromApiId, toApiId } from "../../core/platform/ids.ts";
import type { Principal } from "../../http/api/caller.ts";
import type { Context } from "../../http/api/handler.ts";
import { parseRecipientDetails } from "../../http/api/parse-fields.ts";
import type { Exchange } from "../../http/exchange/exchange.ts";
import type { AnyHandler } from "../../http/server/calls.ts";
import { sendMessage } from "../../messaging/send/send.ts";
import { scoreForeignCode } from "../../messaging/verify/index.ts";
import type { HooksDeps, Receiving } from "./deps.ts";
import type { HookRow } from "./hook-row.ts";
import { withinHookLimits } from "./limits.ts";
import { problemColumns } from "./log.ts";
import { type ReadMessage, shownBody } from "./read-call.ts";
import { insertMessages, lockHook, updateMessage } from "./sql.ts";

/** Messages of one call that are sent at a time. */
const SENT_AT_ONCE = 10;

export interface HookCall {
  readonly caller: Principal;
  readonly hook: HookRow;
  /** Id of the request in the log. */
  readonly id: string;
  readonly messages: readonly ReadMessage[];
}

export interface SentMessage {
  /** Id of the message in the API; null where none was made. */
  readonly messageId: string | null;
  readonly problem: Problem | null;
}

interface Noted extends ReadMessage {
  readonly rowId: string;
}

/** Counts the messages for the hook's limits, then sends those within them. */
export async function sendMessages(
  receiving: Receiving,
  exchange: Exchange,
  call: HookCall,
): Promise<SentMessage[]> {
  if (call.messages.length === 0) return [];
  const noted = await noteMessages(receiving.deps, call);
  const sent: SentMessage[] = [];
  for (let at = 0; at < noted.length; at += SENT_AT_ONCE) {
    const chunk = noted.slice(at, at + SENT_AT_ONCE);
    sent.push(...(await Promise.all(chunk.map((one) => sendOne(receiving, exchange, call, one)))));
  }
  return sent;
}

function noteMessages(deps: HooksDeps, { caller, hook, id, messages }: HookCall) {
  return deps.transactionSlots.run(caller.account.id, () =>
    deps.db.tx(async (tx): Promise<Noted[]> => {
      const { shard, account_id } = hook;
      await tx.query(lockHook, [shard, account_id, hook.id]);
      const limited = await withinHookLimits(deps, tx, hook, messages);
      const noted = limited.map((message) => ({ ...message, rowId: deps.ids.make() }));
      const rows = noted.map((message) => {
        const [error_code, error_message, error_param] = problemColumns(message.problem);
        const body = shownBody(hook.declaration, message);
        const error = { error_code, error_message, error_param };
        return { id: message.rowId, phone: message.to, body, ...error };
      });
      await tx.query(insertMessages, [shard, account_id, hook.id, id, JSON.stringify(rows)]);
      return noted;
    }),
  );
}

async function sendOne(
  receiving: Receiving,
  exchange: Exchange,
  call: HookCall,
  message: Noted,
): Promise<SentMessage> {
  if (message.problem || message.to === null) {
    return { messageId: null, problem: message.problem };
  }
  const { deps } = receiving;
  const sent = await send(receiving, exchange, call, { ...message, to: message.to });
  const { shard, account_id } = call.hook;
  await deps.db.query(updateMessage, [
    shard,
    account_id,
    message.rowId,
    sent.messageId && fromApiId("message", sent.messageId),
    ...problemColumns(sent.problem),
  ]);
  return sent;
}

async function send(
  { deps, pipeline, sendRoute }: Receiving,
  exchange: Exchange,
  { caller, hook }: HookCall,
  message: ReadMessage & { readonly to: string },
): Promise<SentMessage> {
  const body = { to: message.to, from: hook.sender, body: message.body };
  const handler = async (context: Context<Principal, HooksDeps>, input: { body: typeof body }) => {
    if (hook.declaration.purpose === "codes") await checkCode(deps, caller, hook, message.to);
    return sendMessage(context, input.body);
  };
  try {
    const made = await pipeline.call(sendRoute, exchange, caller, {
      input: { params: {}, query: undefined, body },
      idempotencyKey: message.id === null ? null : keyOf(hook, message.id, message.to),
      handler: handler as unknown as AnyHandler,
    });
    const { id } = (made.text === undefined ? made.body : JSON.parse(made.text)) as { id: string };
    return { messageId: id, problem: null };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const failed = error.details.beside?.["message_id"];
    return { messageId: typeof failed === "string" ? failed : null, problem: error };
  }
}

/** Idempotency key of a call's identifier and recipient. */
function keyOf({ id }: HookRow, identifier: string, to: string): string {
  const hash = createHash("sha256").update(`${identifier}\n${to}`).digest("hex");
  return `${toApiId("hook", id)}-${hash}`;
}

/** Limits and fraud rules of verification, for a code that the program made. */
async function checkCode(
  deps: HooksDeps,
  { account, mode }: Principal,
  hook: HookRow,
  to: string,
): Promise<void> {
  const { e164: phone, country } = parseRecipientDetails(deps, to, "to");
  const findings = await deps.lookup.find([phone]);
  const lineType = findings.get(phone)?.lineType ?? "unknown";
  const code = { account, mode, from: hook.sender, phone, country, lineType };
  const refused = await deps.transactionSlots.run(account.id, () =>
    deps.db.tx((tx) => scoreForeignCode(deps, tx, code)),
  );
  if (refused === null) return;
  if (refused.kind === "limited") {
    const wait = refused.retryAfterSeconds;
    throw new Problem(
      "rate_limited",
      `${phone} has had as many codes as it may. Try again in ${counted(wait, "second")}.`,
      { param: "to", headers: { "retry-after": String(wait) } },
    );
  }
  throw new Problem(
    "verification_blocked",
    `Fraud protection blocked this code (${refused.reason}). Nothing was sent or charged. GET /v1/verify/decisions shows what it saw.`,
    { param: "to" },
  );
}
