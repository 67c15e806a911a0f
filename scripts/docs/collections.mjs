// Collections for Postman (format 2.1) and Bruno, generated from the OpenAPI document: a request per call, in a
// folder per tag, with its example's body.

const URL_DEFAULT = "http://127.0.0.1:7670";

/** Facts about each call that both collections need. */
export function callsOf(openapi) {
  return Object.entries(openapi.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const parameters = (operation.parameters ?? []).filter(({ name }) => name !== undefined);
      const content = operation.requestBody?.content ?? {};
      const [type] = Object.keys(content);
      return {
        tag: operation.tags?.[0] ?? "Other",
        name: operation.summary,
        description: operation.description ?? "",
        method: method.toUpperCase(),
        path,
        isOperator: operation["x-scope"] === "operator",
        pathParameters: parameters.filter((one) => one.in === "path"),
        query: parameters.filter((one) => one.in === "query"),
        type: type ?? null,
        body: type === undefined ? undefined : content[type].examples?.example?.value,
      };
    }),
  );
}

function byTag(calls) {
  const tags = new Map();
  for (const call of calls) tags.set(call.tag, [...(tags.get(call.tag) ?? []), call]);
  return [...tags];
}

const token = ({ isOperator }) => (isOperator ? "{{operatorToken}}" : "{{apiKey}}");
const bodyText = ({ body }) =>
  typeof body === "string" ? body : JSON.stringify(body ?? {}, null, 2);
const text = (value) => (value === undefined ? "" : String(value));

export function postmanCollection(calls) {
  return {
    info: {
      name: "Longwave",
      description: "Every call of the API. Set apiKey, and operatorToken for the operator's calls.",
      schema: "https://schema.getpostman.com/json/collection/v2.1.0/collection.json",
    },
    auth: { type: "bearer", bearer: [{ key: "token", value: "{{apiKey}}", type: "string" }] },
    variable: [
      { key: "baseUrl", value: URL_DEFAULT },
      { key: "apiKey", value: "" },
      { key: "operatorToken", value: "" },
    ],
    item: byTag(calls).map(([name, own]) => ({ name, item: own.map(postmanItem) })),
  };
}

function postmanItem(call) {
  const path = call.path.replaceAll(/\{(\w+)\}/g, ":$1");
  return {
    name: call.name,
    request: {
      method: call.method,
      description: call.description,
      ...(call.isOperator
        ? {
            auth: {
              type: "bearer",
              bearer: [{ key: "token", value: token(call), type: "string" }],
            },
          }
        : {}),
      header: call.type === null ? [] : [{ key: "Content-Type", value: call.type }],
      url: {
        raw: `{{baseUrl}}${path}`,
        host: ["{{baseUrl}}"],
        path: path.slice(1).split("/"),
        query: call.query.map((one) => ({
          key: one.name,
          value: text(one.example),
          description: one.description ?? "",
          disabled: !one.required,
        })),
        variable: call.pathParameters.map((one) => ({ key: one.name, value: text(one.example) })),
      },
      ...(call.type === null
        ? {}
        : {
            body: {
              mode: "raw",
              raw: bodyText(call),
              options: { raw: { language: call.type === "application/json" ? "json" : "text" } },
            },
          }),
    },
    response: [],
  };
}

export function brunoCollection(calls) {
  const variable = (name, value, secret) => ({ name, value, type: "text", enabled: true, secret });
  return {
    name: "Longwave",
    version: "1",
    items: byTag(calls).map(([name, own], index) => ({
      type: "folder",
      name,
      seq: index + 1,
      items: own.map(brunoItem),
    })),
    environments: [
      {
        name: "Local",
        variables: [
          variable("baseUrl", URL_DEFAULT, false),
          variable("apiKey", "", true),
          variable("operatorToken", "", true),
        ],
      },
    ],
    brunoConfig: { version: "1", name: "Longwave", type: "collection" },
  };
}

function brunoItem(call, index) {
  const isJson = call.type === "application/json";
  const parameter = (type) => (one) => ({
    name: one.name,
    value: text(one.example),
    type,
    enabled: type === "path" || one.required === true,
  });
  return {
    type: "http",
    name: call.name,
    seq: index + 1,
    request: {
      url: `{{baseUrl}}${call.path.replaceAll(/\{(\w+)\}/g, ":$1")}`,
      method: call.method,
      headers: [],
      params: [
        ...call.pathParameters.map(parameter("path")),
        ...call.query.map(parameter("query")),
      ],
      auth: { mode: "bearer", bearer: { token: token(call) } },
      body:
        call.type === null
          ? { mode: "none" }
          : { mode: isJson ? "json" : "text", [isJson ? "json" : "text"]: bodyText(call) },
      script: {},
      vars: {},
      assertions: [],
      tests: "",
      docs: call.description,
    },
  };
}
