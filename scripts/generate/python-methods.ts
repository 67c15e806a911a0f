import { pascalCase, type Schema } from "../../packages/contract/src/openapi/json.ts";
import { type PythonTypes, pythonName, union } from "./python-types.ts";
import { publishedDocument, type SdkCall } from "./sdk-calls.ts";

const MODULE = "types.";

interface Field {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly description: string | undefined;
}

/** Every resource as a class, and the class of all resources. */
export function methodsText(
  calls: readonly SdkCall[],
  types: PythonTypes,
  isAsync: boolean,
): string {
  const resources = new Map<string, SdkCall[]>();
  for (const call of calls) {
    const path = call.steps.slice(0, -1).join(".");
    resources.set(path, [...(resources.get(path) ?? []), call]);
  }
  const classes = [...resources].map(([path, ones]) =>
    classText(path, ones.map((call) => methodText(call, types, isAsync)).join("\n")),
  );
  return [headText(isAsync), ...classes, rootsText([...resources.keys()])].join("\n\n");
}

function headText(isAsync: boolean): string {
  const page = isAsync ? "AsyncPage as Page" : "Page";
  const resource = isAsync ? "AsyncResource as Resource" : "Resource";
  return `"""Calls of the API by resource${isAsync ? ", for asyncio" : ""}."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, Union

from . import types
from ._resource import UNSET, CallOptions, ${page}, ${resource}, Unset, given, segment
`;
}

function classOf(path: string): string {
  return path.split(".").map(pascalCase).join("");
}

function classText(path: string, methods: string): string {
  return `class ${classOf(path)}(Resource):\n${methods}`;
}

/** \`client.messages\`, and \`client.operator.accounts\` below the operator's own resources. */
function rootsText(paths: readonly string[]): string {
  const attributes = (prefix: string, on: string) =>
    paths
      .filter((path) => path.startsWith(prefix) && !path.slice(prefix.length).includes("."))
      .map((path) => {
        const name = pythonName(path.slice(prefix.length));
        return `        self.${name} = ${classOf(path)}(${on})`;
      })
      .join("\n");
  return `class Operator:
    """Calls of the installation's operator."""

    def __init__(self, send: Any) -> None:
${attributes("operator.", "send")}


class Resources:
    """Every resource of the API."""

    def __init__(self, send: Any) -> None:
${attributes("", "send")}
        self.operator = Operator(send)
`;
}

function methodText(call: SdkCall, types: PythonTypes, isAsync: boolean): string {
  const { route, steps, params } = call;
  const name = pythonName(steps.at(-1) ?? "");
  const owner = steps.map(pascalCase).join("");
  const body = fieldsOf(call.bodyType?.schema ?? null, `${owner}Body`, types);
  const query = fieldsOf(call.queryType?.schema ?? null, `${owner}Query`, types).filter(
    (field) => call.item === null || field.name !== "cursor",
  );
  const isFile = route.takes !== undefined;
  const fields = [...(isFile ? [FILE] : []), ...body, ...query];
  const signature = signatureOf(params, fields);
  const result = resultOf(call, types);
  const verb = call.item ? "_list" : route.streams ? "_file" : "_call";
  const path = route.path.replaceAll(
    /\{(\w+)\}/g,
    (_, param: string) => `{segment(${pythonName(param)})}`,
  );
  const sent = [
    ...(verb === "_call" ? [`"${route.method}"`] : []),
    params.length === 0 ? `"${path}"` : `f"${path}"`,
    ...(query.length > 0 ? [`query=${givenText(query)}`] : []),
    ...(call.bodyType ? [`body=${givenText(body)}`] : []),
    ...(isFile ? ["file=content"] : []),
    "options=options",
  ];
  return `    ${isAsync ? "async " : ""}def ${name}(${signature}) -> ${result}:
        """${docText(route.summary, fields)}"""
        return ${isAsync ? "await " : ""}self.${verb}(${sent.join(", ")})
`;
}

const FILE: Field = {
  name: "content",
  type: "Union[str, bytes]",
  isRequired: true,
  description: "CSV.",
};

function resultOf(call: SdkCall, types: PythonTypes): string {
  const owner = call.steps.map(pascalCase).join("");
  if (call.item) return `Page[${types.typeOf(call.item, `${owner}Item`, MODULE)}]`;
  if (call.route.streams) return "bytes";
  return union(call.answers.map((answer) => types.typeOf(answer, `${owner}Answer`, MODULE)));
}

function fieldsOf(schema: Schema | null, owner: string, types: PythonTypes): Field[] {
  if (schema === null) return [];
  const name = schema.$ref?.split("/").at(-1);
  const whole = name === undefined ? schema : publishedDocument.components.schemas[name];
  const properties = Object.entries(whole?.properties ?? {});
  return properties
    .map(([field, value]) => ({
      name: field,
      type: types.typeOf(value, (name ?? owner) + pascalCase(field), MODULE),
      isRequired: whole?.required?.includes(field) ?? false,
      description: value.description,
    }))
    .sort((a, b) => Number(b.isRequired) - Number(a.isRequired));
}

function signatureOf(params: readonly string[], fields: readonly Field[]): string {
  const names = [...params, ...fields.map(({ name }) => name), "options", "self"];
  if (new Set(names).size !== names.length) {
    throw new Error(`A call has two parameters of one name: ${names.join(", ")}.`);
  }
  const keywords = fields.map(({ name, type, isRequired }) =>
    isRequired
      ? `${pythonName(name)}: ${type}`
      : `${pythonName(name)}: Union[${type}, Unset] = UNSET`,
  );
  return [
    "self",
    ...params.map((param) => `${pythonName(param)}: str`),
    "*",
    ...keywords,
    "options: Optional[CallOptions] = None",
  ].join(", ");
}

function givenText(fields: readonly Field[]): string {
  const pairs = fields.map(({ name }) => `${JSON.stringify(name)}: ${pythonName(name)}`);
  return `given({${pairs.join(", ")}})`;
}

function docText(summary: string, fields: readonly Field[]): string {
  const lines = fields.flatMap(({ name, description }) =>
    description === undefined ? [] : [`        ${pythonName(name)}: ${plain(description)}`],
  );
  const first = `${plain(summary)}.`;
  return lines.length === 0 ? first : `${first}\n\n${lines.join("\n")}\n        `;
}

/** Text that ends no docstring. */
function plain(text: string): string {
  return text
    .replaceAll("\\", "\\\\")
    .replaceAll('"""', "'''")
    .replaceAll(/\s*\n\s*/g, " ");
}
