/** Samples for curl, the SDK and the command line. No DOM in here. */
import { credential, FILE, json, requestOf } from "./request.js";

/** A curl that works as pasted. */
export function curl(call, values, where) {
  const { method, url, token, type, body, isFile } = requestOf(call, values, where);
  const isPlain = method === "GET" || (method === "POST" && type !== undefined);
  const lines = [`curl ${isPlain ? "" : `-X ${method} `}${quoted(url)}`];
  lines.push(`-H ${quoted(`Authorization: Bearer ${token}`)}`);
  if (type) lines.push(`-H "Content-Type: ${type}"`);
  if (isFile) lines.push(`--data-binary @${FILE}`);
  // The body keeps its indentation below the flag.
  else if (type) lines.push(`-d ${quoted(json(body).replaceAll("\n", "\n  "))}`);
  return lines.join(" \\\n  ");
}

/** The same with our SDK. */
export function sdk(call, values, where) {
  const option = call.isOperator ? "operatorToken" : "apiKey";
  const setup = [
    ...(call.takes ? ['import { readFileSync } from "node:fs";'] : []),
    'import { Longwave } from "@longwave/sdk";',
    "",
    "const longwave = new Longwave({",
    `  ${option}: ${JSON.stringify(credential(call, where))},`,
    `  baseUrl: ${JSON.stringify(where.origin)},`,
    "});",
    "",
  ];
  const given = [
    ...call.pathNames.map((name) => JSON.stringify(values.path[name] ?? name)),
    ...(values.body === undefined ? [] : [literal(values.body)]),
    ...(call.takes ? [`readFileSync("${FILE}", "utf8")`] : []),
    ...(Object.keys(values.query).length === 0 ? [] : [literal(values.query)]),
  ];
  const expression = `longwave.${call.sdkMethod}(${given.join(", ")})`;
  const use = call.isList
    ? [`for await (const item of ${expression}) {`, "  console.log(item);", "}"]
    : [`const answer = await ${expression};`];
  return [...setup, ...use].join("\n");
}

/** The same on the command line. */
export function cli(call, values, where) {
  const words = call.sdkMethod.split(".").map(kebab);
  const given = call.pathNames.map((name) => quoted(values.path[name] ?? name));
  const flags = Object.entries({ ...values.query, ...values.body }).flatMap(([name, value]) =>
    (isTexts(value) ? value : [value]).map((one) => `--${kebab(name)} ${quoted(flagText(one))}`),
  );
  if (call.takes) flags.push(`--file ${FILE}`);
  const access = call.isOperator
    ? [`--server ${where.origin}`]
    : [`--server ${where.origin}`, `--key ${quoted(credential(call, where))}`];
  const command = [["longwave", ...words, ...given].join(" "), ...flags, ...access].join(" \\\n  ");
  return call.isOperator
    ? `LONGWAVE_OPERATOR_TOKEN=${quoted(credential(call, where))} ${command}`
    : command;
}

function isTexts(value) {
  return Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === "string");
}

function flagText(value) {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** `scheduledMessages` and `customer_id` as the command line writes them. */
function kebab(name) {
  return name
    .replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, "-")
    .replaceAll("_", "-")
    .toLowerCase();
}

/** Wraps text for a POSIX shell. */
function quoted(text) {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  return text.includes("'") || text.includes("\n") || /["$`\\!]/.test(text)
    ? `'${text.replaceAll("'", "'\\''")}'`
    : `"${text}"`;
}

/** JSON as one would write it in JavaScript: names without quotes. */
function literal(value) {
  return json(value).replaceAll(/^(\s*)"([A-Za-z_]\w*)":/gm, "$1$2:");
}
