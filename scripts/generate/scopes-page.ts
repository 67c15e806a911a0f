import { type RouteSpec, routes, SCOPE_NAMES, SCOPES } from "../../packages/contract/src/index.ts";
import { MARKDOWN_MARK, markdownTable, type Output } from "./output.ts";

/** Every scope with its purpose and the calls that it allows. */
export function scopesPage(): Output[] {
  const table = Object.values(routes) as RouteSpec[];
  const callsOf = (scope: string) =>
    table
      .filter((route) => route.scope === scope)
      .map((route) => `\`${route.method} ${route.path}\``)
      .join("<br>");
  const text = [
    MARKDOWN_MARK,
    "# Scopes",
    "A key has full access unless it was minted with a list of scopes. A call outside of them answers 403 `insufficient_scope` with `required_scope`.",
    markdownTable(
      ["Scope", "Allows", "Calls"],
      SCOPE_NAMES.map((scope) => [`\`${scope}\``, SCOPES[scope], callsOf(scope)]),
    ),
    `Any key may call ${callsOf("any_key").replaceAll("<br>", ", ")}.`,
    `Only a key with full access may call ${callsOf("full_access").replaceAll("<br>", ", ")}; any other key gets 403 with \`required_scope: null\`.`,
  ].join("\n\n");
  return [{ path: "docs/scopes.md", text: `${text}\n` }];
}
