import { HOOK_PRESETS, presentHookPreset } from "@longwave/contract";
import { checking, type HandlersOf } from "../../http/api/handler.ts";
import { EMPTY_PAGE } from "../../http/api/pages.ts";
import type { HooksDeps } from "./deps.ts";
import { hookOf, presentHook } from "./hook-row.ts";
import {
  changeHook,
  createHook,
  listHooks,
  readNewHook,
  removeHook,
  rotateHookSecret,
} from "./hooks.ts";
import { listRequests } from "./log.ts";
import { testHook } from "./test-hook.ts";

type Names =
  | "hooks.presets"
  | "hooks.create"
  | "hooks.list"
  | "hooks.get"
  | "hooks.update"
  | "hooks.delete"
  | "hooks.rotateSecret"
  | "hooks.test"
  | "hooks.requests";

export const hookHandlers: HandlersOf<Names, HooksDeps> = {
  "hooks.presets": async () => ({
    status: 200,
    body: { ...EMPTY_PAGE, data: [...HOOK_PRESETS.values()].map(presentHookPreset) },
  }),

  "hooks.create": checking(
    (deps, { body }) => void readNewHook(deps, body),
    async (context, { body }) =>
      context.transact(async (tx) => ({ status: 201, body: await createHook(context, tx, body) })),
  ),

  "hooks.list": async ({ deps, caller }, { query }) => ({
    status: 200,
    body: await listHooks(deps, caller, query),
  }),

  "hooks.get": async ({ deps, caller }, { params }) => ({
    status: 200,
    body: presentHook(deps, await hookOf(deps.db, caller, params.id, "read")),
  }),

  "hooks.update": async (context, { params, body }) =>
    context.transact(async (tx) => ({
      status: 200,
      body: await changeHook(context, tx, params.id, body),
    })),

  "hooks.delete": async (context, { params }) =>
    context.transact(async (tx) => ({
      status: 200,
      body: await removeHook(context, tx, params.id),
    })),

  "hooks.rotateSecret": async (context, { params }) =>
    context.transact(async (tx) => ({
      status: 200,
      body: await rotateHookSecret(context, tx, params.id),
    })),

  "hooks.test": async (context, { params, body }) =>
    context.transact(async (tx) => ({
      status: 200,
      body: testHook(context.deps, await hookOf(tx, context.caller, params.id, "read"), body),
    })),

  "hooks.requests": async ({ deps, caller }, { params, query }) => ({
    status: 200,
    body: await listRequests(deps, caller, params.id, query),
  }),
};
