import type { Automation } from "@longwave/sdk";
import { useAccount, useHasRole } from "../../api/account.tsx";
import { FilterBar, type FilterSpec } from "../../lists/filter-bar.tsx";
import { type Column, List } from "../../lists/list.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import { Empty } from "../../ui/empty.tsx";
import { plural } from "../../ui/format.ts";
import { statesOf } from "../../ui/looks.ts";
import { Page } from "../../ui/page.tsx";
import { useFilters, usePicked } from "../../ui/search-params.ts";
import { Status } from "../../ui/status.tsx";
import { Time } from "../../ui/values.tsx";
import { FailedRuns, LastRun, Runs } from "./run-totals.tsx";
import { countSteps, nodesOf } from "./steps.ts";

const PAGE_ITEMS = 50;
const FILTERS: readonly FilterSpec[] = [
  { name: "status", label: "Any state", kind: "choice", choices: statesOf("automation") },
];

const COLUMNS: readonly Column<Automation>[] = [
  {
    name: "Name",
    width: "minmax(140px, 1fr)",
    cell: (row) => <span className="strong">{row.name}</span>,
  },
  {
    name: "State",
    width: "110px",
    cell: (row) => <Status machine="automation" state={row.status} />,
  },
  {
    name: "Starts on",
    width: "minmax(120px, 1fr)",
    wideOnly: true,
    cell: (row) => <code>{row.trigger.event}</code>,
  },
  {
    name: "Steps",
    width: "90px",
    wideOnly: true,
    cell: (row) => plural(countSteps(nodesOf(row.steps)), "step"),
  },
  { name: "Runs", width: "72px", right: true, wideOnly: true, cell: (row) => <Runs id={row.id} /> },
  {
    name: "Failed",
    width: "72px",
    right: true,
    wideOnly: true,
    cell: (row) => <FailedRuns id={row.id} />,
  },
  { name: "Last run", width: "210px", wideOnly: true, cell: (row) => <LastRun id={row.id} /> },
  {
    name: "Changed",
    width: "104px",
    right: true,
    wideOnly: true,
    cell: (row) => <Time at={row.updated_at} />,
  },
];

export function AutomationsPage() {
  const { api, base } = useAccount();
  const [search] = useFilters();
  const query = usePicked(search, ["status"]);
  const isFiltered = Object.keys(query).length > 0;
  const mayEdit = useHasRole("member");
  const create = mayEdit && (
    <ButtonLink to={`${base}/automations/new`} kind="primary" icon="plus">
      New automation
    </ButtonLink>
  );
  return (
    <Page
      title="Automations"
      about="Steps that run for a contact when your program says what they did."
      actions={create}
    >
      <FilterBar filters={FILTERS} />
      <List
        label="Automations"
        source={{
          key: ["automations", query],
          pageItems: PAGE_ITEMS,
          fetch: (cursor, signal) =>
            api.automations.list({ ...(query as object), limit: PAGE_ITEMS, cursor }, { signal }),
        }}
        columns={COLUMNS}
        linkOf={(row) => `${base}/automations/${row.id}`}
        empty={
          <Empty
            icon="flow"
            title={isFiltered ? "No automations match" : "No automations yet"}
            action={create}
          >
            Welcome new sign-ups, chase unpaid invoices, thank people who reply: draw the steps, and
            track an event to start them.
          </Empty>
        }
      />
    </Page>
  );
}
