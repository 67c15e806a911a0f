import {
  openApiDocument,
  publishedRoutes,
  type RouteSpec,
  routes,
} from "../../packages/contract/src/index.ts";
import { pascalCase, plainSchema, type Schema } from "../../packages/contract/src/openapi/json.ts";

/** Facts about one route for the SDK, read from the published document. */
export interface SdkCall {
  /** `operator.accounts.create` as ["operator", "accounts", "create"]. */
  readonly steps: readonly string[];
  readonly route: RouteSpec;
  readonly params: readonly string[];
  readonly bodyType: { readonly name: string; readonly schema: Schema } | null;
  readonly queryType: { readonly name: string; readonly schema: Schema } | null;
  /** Distinct schemas of the successful answers. */
  readonly answers: readonly Schema[];
  /** Forms of the body that decide which answer comes, when there are several. */
  readonly forms: readonly BodyForm[];
  /** The item of a list; null when the answer is no list. */
  readonly item: Schema | null;
}

/** A form of the body, and its answer. */
export interface BodyForm {
  /** Field types that select this form. */
  readonly fields: readonly BodyField[];
  readonly answers: readonly Schema[];
}

export interface BodyField {
  readonly name: string;
  readonly isBoolean: boolean;
  readonly isGiven: boolean;
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

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** Every route, including those for the console and the command line alone. */
export const document = openApiDocument(routes) as unknown as Document;
export const publishedDocument = openApiDocument() as unknown as Document;

/** Calls of a table of routes; the published ones unless given. */
export function sdkCalls(table: Readonly<Record<string, RouteSpec>> = publishedRoutes): SdkCall[] {
  return Object.entries(table).map(([name, route]) => {
    const operation = document.paths[route.path]?.[route.method.toLowerCase()];
    if (!operation) throw new Error(`${name} is not in the document.`);
    return callOf(name, route, operation);
  });
}

function callOf(name: string, route: RouteSpec, operation: Operation): SdkCall {
  const body = operation.requestBody?.content["application/json"]?.schema;
  const query = querySchema(operation.parameters);
  const answers = distinct(
    Object.keys(route.answers).flatMap((status) => {
      const content = operation.responses[status]?.content ?? {};
      return choicesOf(content["application/json"]?.schema ?? {});
    }),
  );
  if (answers.length > 1 && !route.answersWith) {
    throw new Error(`${name} has several answers: name the fields that decide in answersWith.`);
  }
  return {
    steps: name.split("."),
    route,
    params: [...route.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? ""),
    bodyType: body ? { name: refName(body) ?? `${pascalCase(name)}Body`, schema: body } : null,
    queryType: query ? { name: `${pascalCase(name)}Query`, schema: query } : null,
    answers,
    forms: formsOf(name, route, answers),
    item: answers.length === 1 ? itemOf(answers[0]) : null,
  };
}

/** First the form without any deciding field, which editors show first; then one per field. */
function formsOf(name: string, route: RouteSpec, answers: readonly Schema[]): BodyForm[] {
  const decided = Object.entries(route.answersWith ?? {}).map(([field, answer]) => ({
    field,
    answer: answers.find((schema) => refName(schema) === plainSchema(answer).$id),
  }));
  if (decided.length === 0) return [];
  const properties = plainSchema(route.body ?? {}).properties ?? {};
  const fieldOf = (field: string, isGiven: boolean): BodyField => ({
    name: field,
    isBoolean: properties[field]?.type === "boolean",
    isGiven,
  });
  const forms = decided.map(({ field, answer }, index): BodyForm => {
    if (!answer || !properties[field]) throw new Error(`${name}: answersWith.${field} is unknown.`);
    const earlier = decided.slice(0, index).map((one) => fieldOf(one.field, false));
    return { fields: [...earlier, fieldOf(field, true)], answers: [answer] };
  });
  const rest = answers.filter((schema) => decided.every(({ answer }) => answer !== schema));
  const none = decided.map(({ field }) => fieldOf(field, false));
  return [{ fields: none, answers: rest }, ...forms];
}

/** The alternatives of an answer that is one of several resources; any other answer as it is. */
function choicesOf(schema: Schema): readonly Schema[] {
  const name = refName(schema);
  const choices = (name === undefined ? undefined : document.components.schemas[name])?.anyOf ?? [];
  return name === choices.map(refName).join("Or") ? choices : [schema];
}

function distinct(schemas: readonly Schema[]): Schema[] {
  return [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()];
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
