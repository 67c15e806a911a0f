/** Renders the subset of Helm templates that the chart uses: values, a few functions, and `if`. */
import assert from "node:assert/strict";
import { dump, load } from "./yaml.ts";

type Scope = Readonly<Record<string, unknown>>;

export function renderTemplate(text: string, scope: Scope): unknown[] {
  const rendered = text
    .replace(
      /^ *\{\{- if (\S+) \}\}\n([\s\S]*?)^ *\{\{- end \}\}\n/gm,
      (_, path: string, body: string) => (valueAt(scope, path) ? body : ""),
    )
    // A dash removes the white space before it; `nindent` starts with a new line.
    .replace(/\s*\{\{- (.+?) \}\}/g, (_, expression: string) => evaluate(scope, expression))
    .replace(/\{\{ (.+?) \}\}/g, (_, expression: string) => evaluate(scope, expression));
  if (rendered.includes("{{")) throw new Error(`Unrendered template: ${rendered}`);
  // Like Helm, without documents that a condition left empty.
  return rendered
    .split(/^---$/m)
    .filter((document) => document.trim() !== "")
    .map((document) => load(document));
}

function evaluate(scope: Scope, expression: string): string {
  const [first = "", ...pipes] = expression.split(" | ");
  const begun = pipes.reduce((value, pipe) => applied(pipe.split(" "), value), call(scope, first));
  if (typeof begun === "object") throw new Error(`{{ ${expression} }} is no text`);
  return String(begun);
}

function call(scope: Scope, text: string): unknown {
  const [name = "", ...given] = text.split(" ");
  if (name.startsWith(".")) return valueAt(scope, name);
  if (name === "toYaml") return applied(["toYaml"], valueAt(scope, given[0] ?? ""));
  if (name !== "printf") throw new Error(`The chart uses ${name}, which this does not know.`);
  const values = given.slice(1).map((path) => valueAt(scope, path));
  return JSON.parse(given[0] ?? "").replaceAll("%s", () => String(values.shift()));
}

function applied([name, indent]: readonly string[], value: unknown): unknown {
  if (name === "toYaml") return dump(value).trimEnd();
  if (name === "toJson") return JSON.stringify(value);
  if (name === "default") return value === "" ? JSON.parse(indent ?? "") : value;
  if (name !== "nindent") throw new Error(`The chart uses ${name}, which this does not know.`);
  const lines = String(value).split("\n");
  return lines.map((line) => `\n${" ".repeat(Number(indent))}${line}`).join("");
}

function valueAt(scope: Scope, path: string): unknown {
  let value: unknown = scope;
  for (const name of path.slice(1).split(".")) value = (value as Scope)[name];
  if (value === undefined) throw new Error(`There is no value ${path}.`);
  return value;
}

// biome-ignore lint/suspicious/noExplicitAny: objects of Kubernetes, read freely
type Any = any;

/** The operator API and the metrics have an ingress of their own, for the operator's networks. */
export function assertOperatorIngress(ingresses: readonly Any[]): void {
  const restricted = ingresses.map(({ metadata, spec }) => ({
    networks: metadata.annotations["nginx.ingress.kubernetes.io/whitelist-source-range"],
    paths: spec.rules[0].http.paths.map(({ path }: Any) => path),
  }));
  assert.deepEqual(restricted, [
    { networks: undefined, paths: ["/"] },
    { networks: "10.0.0.0/8", paths: ["/operator", "/metrics"] },
  ]);
}
