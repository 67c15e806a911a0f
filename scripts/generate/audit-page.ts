import { AUDIT_ACTION_NAMES, AUDIT_ACTIONS } from "../../packages/contract/src/index.ts";
import { MARKDOWN_MARK, markdownTable, type Output } from "./output.ts";

/** Every audited action, with its target and condition. */
export function auditPage(): Output[] {
  const text = [
    MARKDOWN_MARK,
    "# Audit actions",
    "The audit log has one entry for each change, written in the same transaction, and none for what was refused. An entry says who, what, when, from where, and what changed.",
    markdownTable(
      ["Action", "Of", "When"],
      AUDIT_ACTION_NAMES.map((action) => {
        const { target, when } = AUDIT_ACTIONS[action];
        return [`\`${action}\``, `\`${target}\``, when];
      }),
    ),
  ].join("\n\n");
  return [{ path: "docs/audit-actions.md", text: `${text}\n` }];
}
