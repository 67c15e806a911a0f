import { formatTimestamp, type HookDeclaration, type Problem } from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import type { PipelineAnswer } from "../../http/api/handler.ts";
import type { HookRow } from "./hook-row.ts";
import type { SentMessage } from "./send-messages.ts";
import { fillAsJson } from "./template.ts";

const JSON_TYPE = "application/json";
const DEFAULT_ANSWER = { body: '{"message_id":"{{message_id}}"}' };

/** Answer to a call with at least one accepted message, or without any to send. Throws the first refusal otherwise. */
export function acceptedAnswer(
  { clock }: Pick<Base, "clock">,
  { declaration }: HookRow,
  sent: readonly SentMessage[],
): PipelineAnswer {
  const accepted = sent.find(({ problem }) => problem === null);
  const refused = sent[0]?.problem;
  if (accepted === undefined && refused) throw refused;
  const values = {
    message_id: accepted?.messageId ?? "",
    created_at: formatTimestamp(clock.now()),
  };
  return filled(declaration.answer ?? DEFAULT_ANSWER, 200, values);
}

/** Declared answer to a refusal; null: the error body of the API. */
export function refusedAnswer({ declaration }: HookRow, problem: Problem): PipelineAnswer | null {
  if (!declaration.refusal) return null;
  const { code, message, status } = problem;
  const values = { code, message, status: String(status) };
  const answer = filled(declaration.refusal, status, values);
  return { ...answer, headers: { ...problem.details.headers, ...answer.headers } };
}

function filled(
  { status, content_type, body }: NonNullable<HookDeclaration["answer"]>,
  usualStatus: number,
  values: Readonly<Record<string, string>>,
): PipelineAnswer {
  const text = body ? fillAsJson(body, values) : "";
  const headers: Record<string, string> =
    text === "" ? {} : { "content-type": content_type ?? JSON_TYPE };
  return { status: status ?? usualStatus, body: null, raw: text, headers };
}
