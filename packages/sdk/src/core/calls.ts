import { type FileBody, segment, type Transport, type Verb } from "./request.ts";

/** Operations by name; a leaf is a line such as "patch numbers/{} +". */
export interface Operations {
  readonly [name: string]: string | Operations;
}

/** Builds the methods of the operations, by the same names. Methods of `operator` have a root of their own. */
export function buildCalls(api: Transport, operations: Operations, root = "/v1/"): object {
  return Object.fromEntries(
    Object.entries(operations).map(([name, operation]) => [
      name,
      typeof operation === "string"
        ? callOf(api, root, operation)
        : buildCalls(api, operation, name === "operator" ? "/operator/v1/" : root),
    ]),
  );
}

/** Arguments: path parameters, then body, query and options. */
function callOf(api: Transport, root: string, operation: string) {
  const [verb, template = "", takes = ""] = operation.split(" ");
  return (...given: unknown[]) => {
    const path = root + template.replaceAll("{}", () => segment(given.shift() as string));
    const body = takes.includes("+") ? given.shift() : undefined;
    const file = takes.includes("=") ? (given.shift() as FileBody) : undefined;
    const query = takes.includes("?") ? (given.shift() as object | undefined) : undefined;
    return api(verb as Verb, path, { body, file, query, options: given[0] as object | undefined });
  };
}
