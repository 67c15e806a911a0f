/** One request as all samples describe it. No DOM in here. */

const KEY_PLACEHOLDER = "svc_sk_test_…";
const TOKEN_PLACEHOLDER = "<operator token>";
/** Stands in samples for the file that a call takes. */
export const FILE = "file.csv";

/** The path with its parameters filled in, and its query. */
export function targetOf(call, values) {
  const path = call.path.replaceAll(/\{(\w+)\}/g, (_, name) =>
    encodeURIComponent(values.path[name] ?? name).replaceAll("%2B", "+"),
  );
  const query = Object.entries(values.query)
    .filter(([, value]) => value !== undefined && value !== "")
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
  return query.length === 0 ? path : `${path}?${query.join("&")}`;
}

export function credential(call, where) {
  if (call.isOperator) return where.operatorToken || TOKEN_PLACEHOLDER;
  return where.apiKey || KEY_PLACEHOLDER;
}

/** `type` is the body's media type, undefined without a body; `isFile` when the body is a file. */
export function requestOf(call, values, where) {
  return {
    method: call.method,
    url: where.origin + targetOf(call, values),
    token: credential(call, where),
    type: values.body === undefined ? call.takes : "application/json",
    body: values.body,
    isFile: values.body === undefined && call.takes !== undefined,
  };
}

export function json(value) {
  return JSON.stringify(value, null, 2);
}
