import type { QuietLawEdition } from "@longwave/sdk";
import { useAccount } from "../../api/account.tsx";
import { type Column, List } from "../../lists/list.tsx";
import { Button } from "../../ui/button.tsx";
import { Empty } from "../../ui/empty.tsx";
import { saveFile } from "../../ui/files.ts";
import { formatCount } from "../../ui/format.ts";
import { Badge } from "../../ui/status.tsx";
import { Time } from "../../ui/values.tsx";
import { writeHours } from "./lawful-hours.ts";

const PAGE_ITEMS = 25;

const COLUMNS: readonly Column<QuietLawEdition>[] = [
  {
    name: "Edition",
    width: "minmax(120px, 1fr)",
    cell: (row) => <span className="strong">{row.edition}</span>,
  },
  {
    name: "State",
    width: "110px",
    cell: (row) =>
      row.in_force ? <Badge tone="green" word="In force" /> : <Badge tone="grey" word="Replaced" />,
  },
  {
    name: "Rows",
    width: "72px",
    right: true,
    wideOnly: true,
    cell: (row) => formatCount(row.hours.length),
  },
  {
    name: "Set by",
    width: "minmax(120px, 1fr)",
    wideOnly: true,
    cell: (row) => row.created_by?.name ?? <span className="muted">–</span>,
  },
  { name: "From", width: "112px", right: true, cell: (row) => <Time at={row.created_at} /> },
  {
    name: "",
    width: "112px",
    right: true,
    cell: (row) => (
      <Button size="small" icon="download" onClick={() => downloadHours(row)}>
        Download
      </Button>
    ),
  },
];

/** Saves a table of lawful hours as CSV. */
export function downloadHours(law: Pick<QuietLawEdition, "edition" | "hours">): void {
  saveFile(`lawful-hours-${law.edition}.csv`, "text/csv", writeHours(law));
}

/** Editions that operators set, newest first: they say what held when. */
export function LawfulHoursEditions() {
  const { api } = useAccount();
  return (
    <section className="stack">
      <h2>Editions</h2>
      <List
        label="Editions of the lawful hours"
        source={{
          key: ["op-quiet-law", "editions"],
          pageItems: PAGE_ITEMS,
          fetch: (cursor, signal) =>
            api.operator.quietLaws.list({ limit: PAGE_ITEMS, cursor }, { signal }),
        }}
        columns={COLUMNS}
        empty={
          <Empty icon="clock" title="The built-in table is in force">
            Editions that an operator sets appear here, with their time and author.
          </Empty>
        }
      />
    </section>
  );
}
