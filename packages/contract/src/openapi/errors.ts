import type { RouteSpec } from "../define.ts";
import { ERRORS, type ErrorCode } from "../errors.ts";
import { SCOPE_NAMES } from "../scopes.ts";
import { type HeaderName, headerRefs } from "./headers.ts";
import { type JsonObject, pascalCase, type Schema } from "./json.ts";

const CODES = Object.keys(ERRORS) as ErrorCode[];

/** Body of every error. */
export const ERROR_SCHEMA: Schema = {
  type: "object",
  description: "Every error has this shape.",
  required: ["error"],
  properties: {
    error: {
      type: "object",
      required: ["code", "message", "param", "request_id"],
      properties: {
        code: { type: "string", enum: CODES, description: "Error code to branch on." },
        message: {
          type: "string",
          description: "Sentence for a person: the problem and the next step.",
        },
        param: {
          type: ["string", "null"],
          description: "The invalid field, with dots and indexes, such as `recipients[3].to`.",
        },
        request_id: { type: "string", description: "The same as the header X-Request-Id." },
        required_scope: {
          type: ["string", "null"],
          enum: [...SCOPE_NAMES, null],
          description:
            "With `insufficient_scope`: the missing scope; null when full access is required.",
        },
      },
    },
    charged: {
      type: "boolean",
      description: "With `verification_blocked`: always false.",
    },
    message_id: {
      type: "string",
      description: "With `carrier_error`: the refused message.",
    },
  },
};

/** Common errors of this route, and its own. */
export function errorsOf(route: RouteSpec): ErrorCode[] {
  const codes = new Set<ErrorCode>(["invalid_request", "invalid_api_key", "method_not_allowed"]);
  if (route.scope !== "operator") {
    codes
      .add("tenant_suspended")
      .add("ip_not_allowed")
      .add("live_access_required")
      .add("rate_limited");
    if (route.scope !== "any_key") codes.add("insufficient_scope");
  }
  if (route.method === "POST") codes.add("idempotency_conflict").add("idempotency_in_progress");
  if (route.method === "POST" || route.method === "PATCH") {
    codes.add("payload_too_large").add("unsupported_media_type");
  }
  codes.add("request_timeout").add("headers_too_large").add("internal_error").add("unavailable");
  for (const code of route.errors) codes.add(code);
  return CODES.filter((code) => codes.has(code));
}

/**
 * Error responses of a route, by status. A set of codes shared by several routes becomes a
 * component, collected in `responses`.
 */
export function errorResponses(route: RouteSpec, responses: Map<string, JsonObject>): JsonObject {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of errorsOf(route)) {
    const status = ERRORS[code].status;
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const isLimited = route.scope !== "operator";
  const answers = [...byStatus].map(([status, codes]): [string, JsonObject] => {
    const name = `${isLimited ? "" : "Operator"}${sharedName(codes)}`;
    if (!responses.has(name)) responses.set(name, errorResponse(codes, isLimited));
    return [String(status), { $ref: `#/components/responses/${name}` }];
  });
  return Object.fromEntries(answers);
}

/** Error sets that most routes share, with a short name. */
const COMMON: readonly (readonly [name: string, codes: readonly ErrorCode[]])[] = [
  [
    "Forbidden",
    ["insufficient_scope", "ip_not_allowed", "live_access_required", "tenant_suspended"],
  ],
  ["AccountForbidden", ["ip_not_allowed", "live_access_required", "tenant_suspended"]],
  ["IdempotencyProblem", ["idempotency_conflict", "idempotency_in_progress"]],
];

function sharedName(codes: readonly ErrorCode[]): string {
  const common = COMMON.find(([, set]) => set.every((code) => codes.includes(code)));
  const rest = common ? codes.filter((code) => !common[1].includes(code)) : codes;
  return [...(common ? [common[0]] : []), ...rest.map(pascalCase)].join("Or");
}

// biome-ignore format: one code per line, read as a table
const EXTRA_HEADERS: Partial<Record<ErrorCode, readonly HeaderName[]>> = {
  invalid_api_key:         ["WWW-Authenticate"],
  sender_not_registered:   ["X-Svc-Sender-State"],
  method_not_allowed:      ["Allow"],
  idempotency_in_progress: ["Retry-After"],
  rate_limited:            ["Retry-After"],
  quota_exceeded:          ["Retry-After"],
  spend_limit_reached:     ["Retry-After"],
  unavailable:             ["Retry-After"],
};

function errorResponse(codes: readonly ErrorCode[], isLimited: boolean): JsonObject {
  const extra = new Set(codes.flatMap((code) => EXTRA_HEADERS[code] ?? []));
  const limits: HeaderName[] = isLimited ? ["RateLimit", "RateLimit-Policy"] : [];
  return {
    description: codes.map((code) => `\`${code}\`: ${ERRORS[code].title}`).join("\n\n"),
    headers: headerRefs(["X-Request-Id", "Link", ...limits, ...extra]),
    content: {
      "application/json": {
        schema: { $ref: "#/components/schemas/Error" },
        examples: Object.fromEntries(codes.map((code) => [code, errorExample(code)])),
      },
    },
  };
}

// biome-ignore format: one code per line, read as a table
const BESIDE: Partial<Record<ErrorCode, JsonObject>> = {
  verification_blocked: { charged: false },
  carrier_error:        { message_id: "msg_01jcxk5h3vf8ptrx9n2m7wq4bd" },
};

function errorExample(code: ErrorCode): JsonObject {
  const error = {
    code,
    message: `${ERRORS[code].title} ${ERRORS[code].next}`,
    param: null,
    request_id: "req_01jcxk5h3vf8ptrx9n2m7wq4bd",
    ...(code === "insufficient_scope" ? { required_scope: "messages:send" } : {}),
  };
  return { summary: ERRORS[code].title, value: { error, ...BESIDE[code] } };
}
