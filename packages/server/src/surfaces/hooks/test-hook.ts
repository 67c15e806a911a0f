import { type HookTest, Problem, type RouteInput } from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import { toApiId } from "../../core/platform/ids.ts";
import { contentOf } from "../../network/carriers/index.ts";
import type { HookRow } from "./hook-row.ts";
import { presetOf } from "./hooks.ts";
import { pathsOf, readCall, shownBody } from "./read-call.ts";

type Given = RouteInput<"hooks.test">["body"];

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
      paths,
    };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { ...about, error: errorOf(error), messages: [], paths };
  }
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
