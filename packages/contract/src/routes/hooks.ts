import { Type } from "typebox";
import { defineRoutes } from "../define.ts";
import { HOOK_PRESET_NAMES } from "../enums.ts";
import { Input, ListQuery, Nullable, Page, StringEnum } from "../fields.ts";
import {
  Hook,
  HookDeclaration,
  HookPreset,
  HookRequest,
  HookTest,
  HookWithSecret,
  hookInput,
} from "../schemas/hook.ts";

const TAG = "Hooks";
const EXAMPLE_HOOK = { id: "hook_01jd0000000000000000000000" };
const hookParams = Input({ id: Type.String() });

export const hookRoutes = defineRoutes({
  "hooks.presets": {
    method: "GET",
    path: "/v1/hook-presets",
    scope: "messages:read",
    tag: TAG,
    summary: "List the presets of hooks",
    description: "Declarations for the calls of known programs, by name.",
    answers: { 200: Page(HookPreset) },
    errors: [],
    example: { status: 200 },
  },
  "hooks.create": {
    method: "POST",
    path: "/v1/hooks",
    scope: "full_access",
    tag: TAG,
    summary: "Create a hook",
    description:
      "An address for a program that sends its own calls: a preset or a declaration says how they become messages. At most 20 per account. The answer holds the secret, which is shown only here.",
    secretAnswer: true,
    body: Input({
      name: hookInput.name,
      from: hookInput.from,
      preset: Type.Optional(
        StringEnum(HOOK_PRESET_NAMES, { description: "Preset to take the declaration from." }),
      ),
      declaration: Type.Optional(HookDeclaration),
      body: Type.Optional(hookInput.body),
      recipients: Type.Optional(hookInput.recipients),
      secret: Type.Optional(hookInput.secret),
      messages_per_minute: Type.Optional(hookInput.messages_per_minute),
      messages_per_phone_hour: Type.Optional(hookInput.messages_per_phone_hour),
    }),
    answers: { 201: HookWithSecret },
    errors: ["limit_reached", "sender_not_owned", "mode_mismatch"],
    example: {
      body: { name: "Sign-in codes", from: "+15005550100", preset: "supabase" },
      status: 201,
    },
  },
  "hooks.list": {
    method: "GET",
    path: "/v1/hooks",
    scope: "messages:read",
    tag: TAG,
    summary: "List hooks, newest first",
    description: "Without their secrets, which are shown only when they are made.",
    query: ListQuery({}),
    answers: { 200: Page(Hook) },
    errors: [],
    example: { status: 200 },
  },
  "hooks.get": {
    method: "GET",
    path: "/v1/hooks/{id}",
    scope: "messages:read",
    tag: TAG,
    summary: "Read a hook",
    description: "Without its secret, which is shown only when it is made.",
    params: hookParams,
    answers: { 200: Hook },
    errors: ["not_found"],
    example: { params: EXAMPLE_HOOK, status: 200 },
  },
  "hooks.update": {
    method: "PATCH",
    path: "/v1/hooks/{id}",
    scope: "full_access",
    tag: TAG,
    summary: "Change, pause or resume a hook",
    description:
      "Absent fields stay unchanged. A declaration is replaced as a whole and ends the link to a preset; `secret` takes the place of the one before at once.",
    params: hookParams,
    nullClears: true,
    body: Input({
      name: Type.Optional(hookInput.name),
      from: Type.Optional(hookInput.from),
      declaration: Type.Optional(HookDeclaration),
      body: Type.Optional(hookInput.body),
      recipients: Type.Optional(
        Nullable(hookInput.recipients, { description: "null removes all." }),
      ),
      secret: Type.Optional(hookInput.secret),
      messages_per_minute: Type.Optional(hookInput.messages_per_minute),
      messages_per_phone_hour: Type.Optional(hookInput.messages_per_phone_hour),
      active: Type.Optional(Type.Boolean({ description: "false pauses." })),
    }),
    answers: { 200: Hook },
    errors: ["not_found", "sender_not_owned", "mode_mismatch"],
    example: { params: EXAMPLE_HOOK, body: { active: false }, status: 200 },
  },
  "hooks.delete": {
    method: "DELETE",
    path: "/v1/hooks/{id}",
    scope: "full_access",
    tag: TAG,
    summary: "Delete a hook",
    description: "Its address is unknown from then on. Its messages stay.",
    params: hookParams,
    answers: { 200: Hook },
    errors: ["not_found"],
    example: { params: EXAMPLE_HOOK, status: 200 },
  },
  "hooks.rotateSecret": {
    method: "POST",
    path: "/v1/hooks/{id}/rotate_secret",
    scope: "full_access",
    tag: TAG,
    summary: "Replace a hook's secret",
    description: "The old secret is invalid at once, without overlap.",
    params: hookParams,
    secretAnswer: true,
    answers: { 200: HookWithSecret },
    errors: ["not_found"],
    example: { params: EXAMPLE_HOOK, status: 200 },
  },
  "hooks.test": {
    method: "POST",
    path: "/v1/hooks/{id}/test",
    scope: "full_access",
    tag: TAG,
    summary: "Read a call as a hook would, without sending",
    description:
      "Takes the body of a call, and shows the messages that it would send and the answer that the program would get. Without one, the preset's documented call is read. Signatures and limits are not checked.",
    params: hookParams,
    bodyOptional: true,
    body: Input({
      content: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 20_000,
          description: "Body of the call: JSON, or a form.",
        }),
      ),
      content_type: Type.Optional(
        Type.String({ maxLength: 120, description: "Default application/json." }),
      ),
    }),
    answers: { 200: HookTest },
    errors: ["not_found"],
    example: { params: EXAMPLE_HOOK, status: 200 },
  },
  "hooks.requests": {
    method: "GET",
    path: "/v1/hooks/{id}/requests",
    scope: "messages:read",
    tag: TAG,
    summary: "List the calls of a hook, newest first",
    description:
      "Parsed messages of each call, and its answer. Kept for 7 days. At most one call with a wrong secret is stored in ten seconds.",
    params: hookParams,
    query: ListQuery({}),
    answers: { 200: Page(HookRequest) },
    errors: ["not_found"],
    example: { params: EXAMPLE_HOOK, status: 200 },
  },
});
