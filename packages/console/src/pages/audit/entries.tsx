import { AUDIT_ACTION_NAMES } from "@longwave/contract/tables";
import type { AuditLog } from "@longwave/sdk";
import { useState } from "react";
import { type FilterSpec, TIME_FILTERS } from "../../lists/filter-bar.tsx";
import type { Column } from "../../lists/list.tsx";
import { Id } from "../../ui/copy.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { formatExact } from "../../ui/format.ts";
import { Facts } from "../../ui/page.tsx";
import { Time } from "../../ui/values.tsx";
import { Changes, ChangeValue, Target } from "./changes.tsx";

/** "api_key.created" as people say it. */
function actionWords(action: string): string {
  const [what = "", verb = ""] = action.split(".");
  const words = `${what} ${verb}`.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export const AUDIT_FILTERS: readonly FilterSpec[] = [
  {
    name: "action",
    label: "Any action",
    kind: "choice",
    choices: AUDIT_ACTION_NAMES.map((value) => ({ value, label: actionWords(value) })),
  },
  { name: "actor", label: "Author: key_…, usr_…, operator", kind: "text" },
  { name: "target", label: "Object: id or number", kind: "text" },
  ...TIME_FILTERS,
];
export const AUDIT_QUERY = [
  "action",
  "actor",
  "target",
  "created_after",
  "created_before",
] as const;

export function actorName({ actor }: AuditLog): string {
  if (actor.name !== null) return actor.name;
  return actor.type === "operator" ? "The operator" : actor.type === "system" ? "The service" : "–";
}

export function auditColumns(onOpen: (entry: AuditLog) => void): readonly Column<AuditLog>[] {
  return [
    { name: "When", width: "104px", wideOnly: true, cell: (row) => <Time at={row.created_at} /> },
    {
      name: "Action",
      width: "minmax(150px, 1fr)",
      cell: (row) => (
        <button type="button" className="link-button strong" onClick={() => onOpen(row)}>
          {actionWords(row.action)}
        </button>
      ),
    },
    { name: "Author", width: "minmax(110px, 0.8fr)", cell: (row) => actorName(row) },
    { name: "On", width: "150px", wideOnly: true, cell: (row) => <Target id={row.target.id} /> },
    {
      name: "Changes",
      width: "minmax(120px, 1.4fr)",
      wideOnly: true,
      cell: (row) => <Changes changes={row.changes} />,
    },
    {
      name: "From",
      width: "120px",
      wideOnly: true,
      cell: (row) => <span className="muted">{row.ip ?? "–"}</span>,
    },
  ];
}

/** Dialog with one entry in full, and the function that opens it. */
export function useEntryDialog() {
  const [entry, setEntry] = useState<AuditLog | null>(null);
  const dialog = (
    <Dialog
      title={entry ? actionWords(entry.action) : ""}
      isOpen={entry !== null}
      onClose={() => setEntry(null)}
    >
      {entry && (
        <div className="dialog-body stack">
          <Facts
            facts={[
              { name: "When", value: formatExact(entry.created_at) },
              { name: "Author", value: actorName(entry) },
              entry.actor.id === null
                ? null
                : { name: "Their id", value: <Id value={entry.actor.id} /> },
              { name: "On", value: <Target id={entry.target.id} /> },
              { name: "Its id", value: <Id value={entry.target.id} whole /> },
              { name: "From", value: entry.ip ?? "–" },
              { name: "Entry", value: <Id value={entry.id} whole /> },
              ...Object.entries(entry.changes).map(([name, change]) => ({
                name: name.replaceAll("_", " "),
                value: (
                  <span className="wrap-anywhere">
                    <ChangeValue change={change} />
                  </span>
                ),
              })),
            ]}
          />
        </div>
      )}
    </Dialog>
  );
  return [dialog, setEntry] as const;
}
