import type { Registration } from "@longwave/sdk";
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
import { actorWords, wordsOfUseCase } from "./words.ts";

const PAGE_ITEMS = 25;
const FILTERS: readonly FilterSpec[] = [
  { name: "status", label: "Any status", kind: "choice", choices: statesOf("registration") },
];

/** Failures and warnings of the checks, as a list shows them. */
export function findingCounts({ check, sample_check: samples }: Registration): string {
  const failed = (check?.failed ?? 0) + samples.failed;
  const warnings = (check?.warnings ?? 0) + samples.warnings;
  const counts = [
    failed > 0 ? `${failed} failed` : null,
    warnings > 0 ? plural(warnings, "warning") : null,
  ];
  return counts.filter(Boolean).join(", ") || "Passed";
}

export const REGISTRATION_COLUMNS: readonly Column<Registration>[] = [
  {
    name: "Business",
    width: "minmax(140px, 1fr)",
    cell: (row) => <span className="strong">{row.business_name}</span>,
  },
  {
    name: "Status",
    width: "140px",
    cell: (row) => <Status machine="registration" state={row.status} />,
  },
  {
    name: "For",
    width: "minmax(120px, 1fr)",
    wideOnly: true,
    cell: (row) => <span className="muted">{wordsOfUseCase(row.use_case)}</span>,
  },
  {
    name: "Findings",
    width: "150px",
    wideOnly: true,
    cell: (row) =>
      row.check === null ? <span className="muted">not checked</span> : findingCounts(row),
  },
  {
    name: "Waiting on",
    width: "110px",
    wideOnly: true,
    cell: (row) => actorWords(row.guidance.next_actor),
  },
  {
    name: "Changed",
    width: "104px",
    right: true,
    wideOnly: true,
    cell: (row) => <Time at={row.updated_at} />,
  },
];

export function RegistrationsPage() {
  const { api, base } = useAccount();
  const [search] = useFilters();
  const query = usePicked(search, ["status"]);
  const mayEdit = useHasRole("member");
  const create = mayEdit && (
    <ButtonLink to={`${base}/registrations/new`} kind="primary" icon="plus">
      New registration
    </ButtonLink>
  );
  return (
    <Page
      title="Registrations"
      about="Carriers want to know who sends, what, and how people agreed. A number is live once its registration is approved."
      actions={create}
    >
      <FilterBar filters={FILTERS} />
      <List
        label="Registrations"
        source={{
          key: ["registrations", query],
          pageItems: PAGE_ITEMS,
          fetch: (cursor, signal) =>
            api.registrations.list({ ...(query as object), limit: PAGE_ITEMS, cursor }, { signal }),
        }}
        columns={REGISTRATION_COLUMNS}
        linkOf={(row) => `${base}/registrations/${row.id}`}
        empty={
          <Empty icon="stamp" title="No registrations" action={create}>
            Give your website: it is read, and you are told what reviewers would complain about
            before they see it.
          </Empty>
        }
      />
    </Page>
  );
}
