import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { ERRORS, EVENT_TYPES, SCOPE_NAMES } from "../../packages/contract/src/index.ts";
import { pascalCase } from "../../packages/contract/src/openapi/json.ts";
import { eventComponentName } from "../../packages/contract/src/openapi/webhooks.ts";
import { type Output, TS_MARK } from "./output.ts";
import { document, type SdkCall, sdkCalls } from "./sdk-calls.ts";
import { comments, typeText } from "./type-text.ts";

/** The calls, above the SDK's core. */
const CALLS = "packages/sdk/src/generated";
/** What the core itself needs of the contract: types, and copies of pure functions. */
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
    ...COPIED.map((path) => ({
      path: `${CONTRACT}/${basename(path)}`,
      text: copyText(root, path),
    })),
  ];
}

/** The SDK has no dependencies, so it carries a copy of these pure functions. */
const COPIED = [
  "codecs/signature.ts",
  "text/segments.ts",
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
    `/** What a webhook carries: narrow it by its type. */\nexport type WebhookEvent =${EVENT_TYPES.map((type) => `\n  | ${eventComponentName(type)}`).join("")};`,
  ];
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    if (name === "Error") continue;
    parts.push(declaration(name, schema));
  }
  for (const call of calls) {
    for (const type of [call.bodyType, call.queryType]) {
      if (type) parts.push(declaration(type.name, type.schema));
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

/** One level of names: the calls that end here, and the names that go on. */
interface Level {
  readonly className: string;
  readonly calls: readonly SdkCall[];
  readonly children: readonly (readonly [name: string, level: Level])[];
}

function levelOf(path: readonly string[], calls: readonly SdkCall[]): Level {
  const depth = path.length;
  const names = new Set(
    calls.filter((call) => call.steps.length > depth + 1).map((call) => call.steps[depth] ?? ""),
  );
  return {
    className: `${pascalCase(path.join("."))}Calls`,
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

function familyText(family: string, calls: readonly SdkCall[]): string {
  const body = classText(levelOf([family], calls));
  const has = (pattern: RegExp) => pattern.test(body);
  const fromRequest = [
    "type CallOptions",
    ...(has(/\bsegment\(/) ? ["segment"] : []),
    ...(has(/\bTransport\b/) ? ["type Transport"] : []),
  ];
  const imports = [
    ...(has(/\bextends Calls\b/) ? ['import { Calls } from "../core/calls.ts";'] : []),
    ...(has(/\bList</) ? ['import type { List } from "../core/page.ts";'] : []),
    `import { ${fromRequest.join(", ")} } from "../core/request.ts";`,
    ...(has(/\btypes\.\w+/) ? ['import type * as types from "../contract/types.ts";'] : []),
  ];
  return `${TS_MARK}\n\n${imports.join("\n")}\n\n${body}\n`;
}

/** Kept short on purpose: whoever bundles the client pays for every letter of every method. */
function classText(level: Level): string {
  const fields = level.children.map(([name, child]) => `  readonly ${name}: ${child.className};\n`);
  const builds = level.children.map(
    ([name, child]) => `    this.${name} = new ${child.className}(api);\n`,
  );
  const own = level.calls.length > 0;
  const building = [
    "  constructor(api: Transport) {\n",
    own ? "    super(api);\n" : "",
    ...builds,
    "  }\n",
  ];
  const parts = [
    fields.join(""),
    fields.length > 0 ? building.join("") : "",
    ...level.calls.map(methodText),
  ].filter((part) => part !== "");
  const head = `export class ${level.className}${own ? " extends Calls" : ""} {\n`;
  const text = `${head}${parts.join("\n")}}`;
  return [...level.children.map(([, child]) => classText(child)), text].join("\n\n");
}

function methodText(call: SdkCall): string {
  const { route } = call;
  const name = call.steps.at(-1) ?? "";
  const isBodyOptional = route.bodyOptional === true;
  const isQueryOptional = (call.queryType?.schema.required ?? []).length === 0;
  const given = [
    ...call.params.map((param) => `${param}: string`),
    ...(call.bodyType ? [`body${isBodyOptional ? "?" : ""}: types.${call.bodyType.name}`] : []),
    ...(call.queryType ? [`query${isQueryOptional ? "?" : ""}: types.${call.queryType.name}`] : []),
    "options?: CallOptions",
  ];
  const comment = `${comments(route.summary)}. \`${route.method} ${route.path}\``;
  const expression = `this.api.${verbOf(call)}(${argumentsOf(call)})`;
  return `  /** ${comment} */\n  ${name}(${given.join(", ")}): ${resultOf(call)} {\n    return ${expression};\n  }\n`;
}

/** The transport's method: `get`, `list`, `stream`, `post`, `patch` or `delete`. */
function verbOf({ route, item }: SdkCall): string {
  if (route.streams) return "stream";
  return item ? "list" : route.method.toLowerCase();
}

/** Path, what is sent, and the call's options, in the order in which the transport takes them. */
function argumentsOf(call: SdkCall): string {
  const { route } = call;
  const path = route.path.includes("{")
    ? `\`${route.path.replaceAll(/\{(\w+)\}/g, (_, param: string) => `\${segment(${param})}`)}\``
    : JSON.stringify(route.path);
  const sent = route.method === "GET" ? call.queryType && "query" : call.bodyType && "body";
  const isBoth = route.method !== "GET" && call.queryType !== null;
  return [path, sent ?? "undefined", "options", ...(isBoth ? ["query"] : [])].join(", ");
}

function resultOf(call: SdkCall): string {
  if (call.route.streams) return "Promise<Response>";
  if (call.item) return `List<${qualified(typeText(call.item, "  "))}>`;
  const answers = call.answers.flatMap((schema) => qualified(typeText(schema, "  ")).split(" | "));
  return `Promise<${[...new Set(answers)].join(" | ")}>`;
}

/** Names of our own types become `types.Name`. */
function qualified(text: string): string {
  const names = new Set(Object.keys(document.components.schemas));
  return text.replaceAll(/\b[A-Z]\w*\b/g, (name) => (names.has(name) ? `types.${name}` : name));
}

function resourcesText(families: readonly string[]): string {
  const className = (family: string) => `${pascalCase(family)}Calls`;
  const imports = families
    .map((family) => `import { ${className(family)} } from "./${kebab(family)}.ts";\n`)
    .sort();
  return [
    `${TS_MARK}\n\n`,
    'import type { Transport } from "../core/request.ts";\n',
    ...imports,
    "\n/** Every call of the API, by resource. */\nexport class Resources {\n",
    ...families.map((family) => `  readonly ${family}: ${className(family)};\n`),
    "\n  constructor(api: Transport) {\n",
    ...families.map((family) => `    this.${family} = new ${className(family)}(api);\n`),
    "  }\n}\n",
  ].join("");
}

function kebab(name: string): string {
  return name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, "-").toLowerCase();
}
