import { openApiDocument, type RouteSpec, routes } from "../../packages/contract/src/index.ts";
import { pascalCase, type Schema } from "../../packages/contract/src/openapi/json.ts";

/** What the SDK needs to know about one route, read from the published document. */
export interface SdkCall {
  /** `operator.accounts.create` as ["operator", "accounts", "create"]. */
  readonly steps: readonly string[];
  readonly route: RouteSpec;
  readonly params: readonly string[];
  readonly bodyType: { readonly name: string; readonly schema: Schema } | null;
  readonly queryType: { readonly name: string; readonly schema: Schema } | null;
  /** The schemas of the good answers. */
  readonly answers: readonly Schema[];
  /** The item of a list, or null where the answer is no list. */
  readonly item: Schema | null;
}

interface Operation {
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: { "application/json"?: { schema: Schema } } };
  readonly responses: Readonly<Record<string, { content?: Record<string, { schema: Schema }> }>>;
}

interface Parameter {
  readonly name?: string;
  readonly in?: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Schema;
}

export const document = openApiDocument() as unknown as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};

export function sdkCalls(): SdkCall[] {
  return Object.entries(routes as Record<string, RouteSpec>).map(([name, route]) => {
    const operation = document.paths[route.path]?.[route.method.toLowerCase()];
    if (!operation) throw new Error(`${name} is not in the document.`);
    return callOf(name, route, operation);
  });
}

function callOf(name: string, route: RouteSpec, operation: Operation): SdkCall {
  const body = operation.requestBody?.content["application/json"]?.schema;
  const query = querySchema(operation.parameters);
  const answers = Object.keys(route.answers).map((status) => {
    const content = operation.responses[status]?.content ?? {};
    return content["application/json"]?.schema ?? {};
  });
  return {
    steps: name.split("."),
    route,
    params: [...route.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? ""),
    bodyType: body ? { name: refName(body) ?? `${pascalCase(name)}Body`, schema: body } : null,
    queryType: query ? { name: `${pascalCase(name)}Query`, schema: query } : null,
    answers,
    item: answers.length === 1 ? itemOf(answers[0]) : null,
  };
}

function querySchema(parameters: readonly Parameter[]): Schema | null {
  const fields = parameters.filter((parameter) => parameter.in === "query");
  if (fields.length === 0) return null;
  const properties = fields.map((field): [string, Schema] => [
    field.name ?? "",
    {
      ...field.schema,
      ...(field.description === undefined ? {} : { description: field.description }),
    },
  ]);
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    required: fields.filter((field) => field.required).map((field) => field.name ?? ""),
  };
}

function refName(schema: Schema): string | undefined {
  return schema.$ref?.split("/").at(-1);
}

function itemOf(answer: Schema | undefined): Schema | null {
  const name = answer && refName(answer);
  const whole = name === undefined ? answer : document.components.schemas[name];
  const fields: Readonly<Record<string, Schema | undefined>> = whole?.properties ?? {};
  const isPage = "next_cursor" in fields && "has_more" in fields;
  return isPage ? (fields["data"]?.items ?? null) : null;
}
