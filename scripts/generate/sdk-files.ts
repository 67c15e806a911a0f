import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { ERRORS, EVENT_TYPES, SCOPE_NAMES } from "../../packages/contract/src/index.ts";
import { pascalCase, type Schema } from "../../packages/contract/src/openapi/json.ts";
import { eventComponentName } from "../../packages/contract/src/openapi/webhooks.ts";
import { type Output, TS_MARK } from "./output.ts";
import {
  type BodyField,
  publishedDocument as document,
  type SdkCall,
  sdkCalls,
} from "./sdk-calls.ts";
import { comments, typeText } from "./type-text.ts";

/** The calls, a layer above the SDK's core. */
const CALLS = "packages/sdk/src/generated";
/** Parts of the contract that the core needs: types, and copies of pure functions. */
const CONTRACT = "packages/sdk/src/contract";

/** The SDK's types, its methods by resource, and its copies of what it shares with the server. */
export function sdkFiles(root: string): Output[] {
  const calls = sdkCalls();
  const families = [...new Set(calls.map((call) => call.steps[0] ?? ""))];
  return [
    { path: `${CONTRACT}/types.ts`, text: typesText(calls) },
    ...families.map((family) => ({
      path: `${CALLS}/${kebab(family)}.ts`,
      text: familyText(
        family,
        calls.filter((call) => call.steps[0] === family),
      ),
    })),
    { path: `${CALLS}/resources.ts`, text: resourcesText(families) },
    { path: `${CALLS}/operations.ts`, text: operationsText(calls) },
    ...COPIED.map((path) => ({
      path: `${CONTRACT}/${basename(path)}`,
      text: copyText(root, path),
    })),
  ];
}

/** Pure functions copied into the SDK, which has no dependencies. */
const COPIED = [
  "codecs/signature.ts",
  "text/sms-segments.ts",
  "phone/phone.ts",
  "phone/area-codes.ts",
] as const;

function copyText(root: string, path: string): string {
  const source = readFileSync(`${root}/packages/contract/src/${path}`, "utf8");
  return `${TS_MARK}\n\n${source}`;
}

function typesText(calls: readonly SdkCall[]): string {
  const list = (values: readonly string[]) =>
    values.map((value) => `\n  | ${JSON.stringify(value)}`).join("");
  const parts = [
    TS_MARK,
    `export type ErrorCode =${list(Object.keys(ERRORS))};`,
    `export type Scope =${list(SCOPE_NAMES)};`,
    `export type EventType =${list(EVENT_TYPES)};`,
    `/** Webhook payload: narrow it by its type. */\nexport type WebhookEvent =${EVENT_TYPES.map((type) => `\n  | ${eventComponentName(type)}`).join("")};`,
  ];
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    if (name === "Error") continue;
    parts.push(declaration(name, schema));
  }
  for (const call of calls) {
    for (const type of [call.bodyType, call.queryType]) {
      if (type && type.schema.$ref === undefined) parts.push(declaration(type.name, type.schema));
    }
  }
  return `${parts.join("\n\n")}\n`;
}

function declaration(name: string, schema: Parameters<typeof typeText>[0]): string {
  const comment = schema.description ? `/** ${comments(schema.description)} */\n` : "";
  const text = typeText(schema);
  return text.startsWith("{\n")
    ? `${comment}export interface ${name} ${text}`
    : `${comment}export type ${name} = ${text};`;
}

/** One level of names: calls that end here, and names that continue. */
interface Level {
  readonly typeName: string;
  readonly calls: readonly SdkCall[];
  readonly children: readonly (readonly [name: string, level: Level])[];
}

function levelOf(path: readonly string[], calls: readonly SdkCall[]): Level {
  const depth = path.length;
  const names = new Set(
    calls.filter((call) => call.steps.length > depth + 1).map((call) => call.steps[depth] ?? ""),
  );
  return {
    typeName: path.length === 0 ? "Resources" : `${pascalCase(path.join("."))}Calls`,
    calls: calls.filter((call) => call.steps.length === depth + 1),
    children: [...names].map((name) => [
      name,
      levelOf(
        [...path, name],
        calls.filter((call) => call.steps[depth] === name && call.steps.length > depth + 1),
      ),
    ]),
  };
}

/** The type of a resource family, which costs no bytes in a built program. */
function familyText(family: string, calls: readonly SdkCall[]): string {
  const body = interfaceText(levelOf([family], calls));
  const has = (pattern: RegExp) => pattern.test(body);
  const imports = [
    ...(has(/\bList</) ? ['import type { List } from "../core/page.ts";'] : []),
    has(/\bFileBody\b/)
      ? 'import type { CallOptions, FileBody } from "../core/request.ts";'
      : 'import type { CallOptions } from "../core/request.ts";',
    ...(has(/\btypes\.\w+/) ? ['import type * as types from "../contract/types.ts";'] : []),
  ];
  return `${TS_MARK}\n\n${imports.join("\n")}\n\n${body}\n`;
}

function interfaceText(level: Level): string {
  const fields = level.children.map(([name, child]) => `  readonly ${name}: ${child.typeName};\n`);
  const parts = [fields.join(""), ...level.calls.map(methodText)].filter((part) => part !== "");
  const text = `export interface ${level.typeName} {\n${parts.join("\n")}}`;
  return [...level.children.map(([, child]) => interfaceText(child)), text].join("\n\n");
}

function methodText(call: SdkCall): string {
  const { route } = call;
  const name = call.steps.at(-1) ?? "";
  const isBodyOptional = route.bodyOptional === true;
  const isQueryOptional = (call.queryType?.schema.required ?? []).length === 0;
  const signature = (fields: readonly BodyField[], result: string) => {
    const body = `body${isBodyOptional ? "?" : ""}: ${bodyText(call, fields)}`;
    const given = [
      ...call.params.map((param) => `${param}: string`),
      ...(route.takes ? ["file: FileBody"] : []),
      ...(call.bodyType ? [body] : []),
      ...(call.queryType
        ? [`query${isQueryOptional ? "?" : ""}: types.${call.queryType.name}`]
        : []),
      "options?: CallOptions",
    ];
    const asked = fields.filter(({ isGiven }) => isGiven).map((field) => ` with \`${field.name}\``);
    const comment = `${comments(route.summary)}. \`${route.method} ${route.path}\`${asked.join("")}`;
    return `  /** ${comment} */\n  ${name}(${given.join(", ")}): ${result};\n`;
  };
  // The form that takes every body comes last: error messages and `Parameters<…>` use it.
  return [
    ...call.forms.map(({ fields, answers }) => signature(fields, promiseOf(answers))),
    signature([], resultOf(call)),
  ].join("");
}

/** The type of the body, narrowed to one form of it. */
function bodyText({ bodyType }: SdkCall, fields: readonly BodyField[]): string {
  const type = `types.${bodyType?.name}`;
  if (fields.length === 0) return type;
  const texts = fields.map(({ name, isBoolean, isGiven }) => {
    if (!isGiven) return `${name}?: ${isBoolean ? "false | " : ""}null | undefined`;
    return `${name}: ${isBoolean ? "true" : `NonNullable<${type}["${name}"]>`}`;
  });
  return `${type} & { ${texts.join("; ")} }`;
}

/** The table from which the client builds its methods. Kept short: it is part of every bundle. */
function operationsText(calls: readonly SdkCall[]): string {
  const head = [
    TS_MARK,
    'import type { Operations } from "../core/calls.ts";',
    "/** Every operation by its name: the verb, the path below its API's root with `{}` for each parameter, and what it takes (`+` a body, `=` a file, `?` a query). */",
  ].join("\n\n");
  return `${head}\nexport const OPERATIONS: Operations = ${tableText(levelOf([], calls), "")};\n`;
}

function tableText(level: Level, indent: string): string {
  const inner = `${indent}  `;
  const lines = [
    ...level.children.map(([name, child]) => `${inner}${name}: ${tableText(child, inner)},\n`),
    ...level.calls.map(
      (call) => `${inner}${call.steps.at(-1)}: ${JSON.stringify(operationOf(call))},\n`,
    ),
  ];
  return `{\n${lines.join("")}${indent}}`;
}

function operationOf(call: SdkCall): string {
  const body = call.route.takes ? "=" : call.bodyType ? "+" : "";
  const takes = `${body}${call.queryType ? "?" : ""}`;
  const root = call.steps[0] === "operator" ? "/operator/v1/" : "/v1/";
  assert.ok(call.route.path.startsWith(root), `${call.route.path} is not below ${root}`);
  const path = call.route.path.slice(root.length).replaceAll(/\{\w+\}/g, "{}");
  return [verbOf(call), path, ...(takes === "" ? [] : [takes])].join(" ");
}

/** Transport method of a call: `get`, `list`, `stream`, `post`, `patch` or `delete`. */
function verbOf({ route, item }: SdkCall): string {
  if (route.streams) return "stream";
  return item ? "list" : route.method.toLowerCase();
}

function resultOf(call: SdkCall): string {
  if (call.route.streams) return "Promise<Response>";
  if (call.item) return `List<${qualified(typeText(call.item, "  "))}>`;
  return promiseOf(call.answers);
}

function promiseOf(answers: readonly Schema[]): string {
  const texts = answers.map((schema) => qualified(typeText(schema, "  ")));
  return `Promise<${[...new Set(texts)].join(" | ")}>`;
}

/** Names of our own types become `types.Name`. */
function qualified(text: string): string {
  const names = new Set(Object.keys(document.components.schemas));
  return text.replaceAll(/\b[A-Z]\w*\b/g, (name) => (names.has(name) ? `types.${name}` : name));
}

function resourcesText(families: readonly string[]): string {
  const typeName = (family: string) => `${pascalCase(family)}Calls`;
  const imports = families
    .map((family) => `import type { ${typeName(family)} } from "./${kebab(family)}.ts";\n`)
    .sort();
  return [
    `${TS_MARK}\n\n`,
    ...imports,
    "\n/** Every call of the API, by resource. */\nexport interface Resources {\n",
    ...families.map((family) => `  readonly ${family}: ${typeName(family)};\n`),
    "}\n",
  ].join("");
}

function kebab(name: string): string {
  return name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, "-").toLowerCase();
}
