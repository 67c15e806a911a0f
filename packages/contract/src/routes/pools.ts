import { Type } from "typebox";
import { defineRoutes } from "../define.ts";
import { Input, ListQuery, Page, PhoneInput, SingleLine } from "../fields.ts";
import { NAME_CHARS_MAX, POOL_NUMBERS_MAX } from "../limits.ts";
import { Pool } from "../schemas/number.ts";

const TAG = "Pools";
const EXAMPLE_POOL = { id: "pool_01jd0000000000000000000000" };
const poolParams = Input({ id: Type.String() });
const PoolName = SingleLine({ minLength: 1, maxLength: NAME_CHARS_MAX });
const PoolNumbers = Type.Array(PhoneInput(), {
  maxItems: POOL_NUMBERS_MAX,
  description: "Numbers the account owns, of the key's mode.",
});

export const poolRoutes = defineRoutes({
  "pools.create": {
    method: "POST",
    path: "/v1/pools",
    scope: "numbers:write",
    tag: TAG,
    summary: "Create a sender pool",
    description:
      "Send from the pool's id: it picks a member of the key's mode, and keeps to it for that recipient as long as the number stays in the pool.",
    body: Input({ name: PoolName, numbers: PoolNumbers }),
    answers: { 201: Pool },
    errors: ["mode_mismatch"],
    example: { body: { name: "Support", numbers: ["+15005550100"] }, status: 201 },
  },
  "pools.list": {
    method: "GET",
    path: "/v1/pools",
    scope: "numbers:read",
    tag: TAG,
    summary: "List sender pools, newest first",
    description: "Every pool with its numbers.",
    query: ListQuery({}),
    answers: { 200: Page(Pool) },
    errors: [],
    example: { status: 200 },
  },
  "pools.get": {
    method: "GET",
    path: "/v1/pools/{id}",
    scope: "numbers:read",
    tag: TAG,
    summary: "Read a sender pool",
    description: "The pool with the numbers that are in it now.",
    params: poolParams,
    answers: { 200: Pool },
    errors: ["not_found"],
    example: { params: EXAMPLE_POOL, status: 200 },
  },
  "pools.update": {
    method: "PATCH",
    path: "/v1/pools/{id}",
    scope: "numbers:write",
    tag: TAG,
    summary: "Rename a pool or replace its members",
    description:
      "Absent fields stay unchanged. `numbers` replaces the members of the key's mode; members of the other mode stay, even when named. A recipient keeps its number as long as that is in the pool.",
    params: poolParams,
    nullClears: true,
    body: Input({ name: Type.Optional(PoolName), numbers: Type.Optional(PoolNumbers) }),
    answers: { 200: Pool },
    errors: ["mode_mismatch", "not_found"],
    example: { params: EXAMPLE_POOL, body: { name: "Help desk" }, status: 200 },
  },
  "pools.delete": {
    method: "DELETE",
    path: "/v1/pools/{id}",
    scope: "numbers:write",
    tag: TAG,
    summary: "Delete a pool; its numbers stay",
    description:
      "Its numbers stay. Sends from this pool are refused afterwards. A pool with members of the other mode is a 403: take them out with a key of their mode first.",
    params: poolParams,
    answers: { 200: Pool },
    errors: ["mode_mismatch", "not_found"],
    example: { params: EXAMPLE_POOL, status: 200 },
  },
});
