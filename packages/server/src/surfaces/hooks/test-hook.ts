import { type HookTest, Problem, type RouteInput } from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import { toApiId } from "../../core/platform/ids.ts";
import type { PipelineAnswer } from "../../http/api/handler.ts";
import { errorBody } from "../../http/exchange/problems.ts";
import { contentOf } from "../../network/carriers/index.ts";
import { acceptedAnswer, refusedAnswer } from "./answers.ts";
import type { HookRow } from "./hook-row.ts";
import { presetOf } from "./hooks.ts";
import { pathsOf, type ReadMessage, readCall, shownBody } from "./read-call.ts";

type Given = RouteInput<"hooks.test">["body"];

/** Ids in the answer of a test, which sends nothing and is logged nowhere. */
const EXAMPLE_MESSAGE = "msg_01jd0000000000000000000000";
const EXAMPLE_REQUEST = "req_01jd0000000000000000000000";

/** Reads a call as the hook would. Without a call, the preset's documented one is read. */
export function testHook(deps: Base, hook: HookRow, given: Given): HookTest {
  const content = given?.content ?? sampleOf(hook);
  const about = { object: "hook_test", hook_id: toApiId("hook", hook.id) } as const;
  let paths: string[] = [];
  try {
    const contentType = given?.content_type ?? "application/json";
    const root = contentOf({ contentType, query: "", body: Buffer.from(content) });
    paths = pathsOf(root);
    const call = { root, headers: {}, query: {} };
    const messages = readCall(deps, hook.declaration, hook.recipients, call);
    return {
      ...about,
      error: null,
      messages: messages.map((message) => ({
        to: message.to,
        body: shownBody(hook.declaration, message),
        message_id: null,
        error: message.problem && errorOf(message.problem),
      })),
      answer: answerTo(deps, hook, messages),
      paths,
    };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { ...about, error: errorOf(error), messages: [], answer: refusal(hook, error), paths };
  }
}

function answerTo(deps: Base, hook: HookRow, messages: readonly ReadMessage[]): HookTest["answer"] {
  const sent = messages.map(({ problem }) => ({
    messageId: problem ? null : EXAMPLE_MESSAGE,
    problem,
  }));
  try {
    return shown(acceptedAnswer(deps, hook, sent));
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return refusal(hook, error);
  }
}

function refusal(hook: HookRow, problem: Problem): HookTest["answer"] {
  const body = errorBody(problem, EXAMPLE_REQUEST);
  return shown(refusedAnswer(hook, problem) ?? { status: problem.status, body });
}

function shown({ status, body, raw }: PipelineAnswer): HookTest["answer"] {
  return { status, body: raw === undefined ? JSON.stringify(body) : String(raw) };
}

function sampleOf(hook: HookRow): string {
  const preset = presetOf(hook);
  if (preset) return JSON.stringify(preset.sample);
  throw new Problem(
    "invalid_request",
    "content is missing: a hook without a preset has no documented call. Paste the body of one.",
    { param: "content" },
  );
}

function errorOf({ code, message, details }: Problem): NonNullable<HookTest["error"]> {
  return { code, message, param: details.param ?? null };
}
