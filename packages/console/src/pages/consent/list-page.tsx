import type { Consent } from "@longwave/sdk";
import { useMemo, useState } from "react";
import { useAccount, useHasRole } from "../../api/account.tsx";
import { ExportLink } from "../../lists/export-link.tsx";
import { FilterBar, type FilterSpec } from "../../lists/filter-bar.tsx";
import { type Column, List } from "../../lists/list.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Page } from "../../ui/page.tsx";
import { NamedPerson } from "../../ui/person.tsx";
import { useFilters, usePicked } from "../../ui/search-params.ts";
import { Status } from "../../ui/status.tsx";
import { Time } from "../../ui/values.tsx";
import { useCustomerChoices, useCustomerNames } from "../customers/use-customer-names.ts";
import { RecordDialog } from "./record-dialog.tsx";
import { CONSENT_CHOICES, MATCH_WORDS, sourceWords } from "./words.ts";

const PAGE_ITEMS = 100;
const FILTERS: readonly FilterSpec[] = [
  { name: "phone_number", label: "Phone", kind: "phone" },
  { name: "status", label: "Any state", kind: "choice", choices: CONSENT_CHOICES },
];

function useConsentFilters(): readonly FilterSpec[] {
  const choices = useCustomerChoices();
  if (choices.length === 0) return FILTERS;
  return [...FILTERS, { name: "customer_id", label: "Any customer", kind: "choice", choices }];
}

const columnsOf = (nameOf: (customerId: string) => string): readonly Column<Consent>[] => [
  { name: "State", width: "120px", cell: (row) => <Status machine="consent" state={row.status} /> },
  {
    name: "Person",
    width: "minmax(160px, 1fr)",
    cell: (row) => <NamedPerson phone={row.phone_number} />,
  },
  {
    name: "Source",
    width: "minmax(120px, 1fr)",
    wideOnly: true,
    cell: (row) => sourceWords(row.source),
  },
  {
    name: "Matched keyword",
    width: "120px",
    wideOnly: true,
    cell: (row) => (row.match === null ? <span className="muted">–</span> : MATCH_WORDS[row.match]),
  },
  {
    name: "Scope",
    width: "120px",
    wideOnly: true,
    cell: (row) => (row.customer_id === null ? "The account" : nameOf(row.customer_id)),
  },
  {
    name: "Ends",
    width: "112px",
    right: true,
    wideOnly: true,
    cell: (row) => <Time at={row.expires_at} />,
  },
  {
    name: "Since",
    width: "112px",
    right: true,
    wideOnly: true,
    cell: (row) => <Time at={row.updated_at} />,
  },
];

export function ConsentPage() {
  const { api, base } = useAccount();
  const [search] = useFilters();
  const query = usePicked(search, ["phone_number", "status", "customer_id"]);
  const nameOf = useCustomerNames();
  const columns = useMemo(() => columnsOf(nameOf), [nameOf]);
  const mayRecord = useHasRole("member");
  const [isOpen, setIsOpen] = useState(false);
  const record = mayRecord && (
    <>
      <ButtonLink to={`${base}/consent/import`} icon="upload">
        Import
      </ButtonLink>
      <Button kind="primary" icon="plus" onClick={() => setIsOpen(true)}>
        Add consent
      </Button>
    </>
  );
  return (
    <Page
      title="Consent"
      about="People who may be texted. Each change carries the hash of the one before, so a rewrite shows."
      actions={
        <>
          <ExportLink
            list="consent"
            query={{ status: query.status, customer_id: query.customer_id }}
          />
          {record}
        </>
      }
    >
      <FilterBar filters={useConsentFilters()} />
      <List
        label="Consent"
        source={{
          key: ["consent", query],
          pageItems: PAGE_ITEMS,
          fetch: (cursor, signal) =>
            api.consent.list({ ...(query as object), limit: PAGE_ITEMS, cursor }, { signal }),
        }}
        columns={columns}
        linkOf={(row) => `${base}/consent/${row.phone_number}`}
        grows={{ events: ["message.opted_out", "message.opted_in"] }}
        empty={
          <Empty
            icon="consent"
            title={Object.keys(query).length > 0 ? "No consent matches" : "No consent recorded"}
            action={record}
          >
            STOP and START are recorded by themselves. What people agreed to elsewhere can be
            recorded here.
          </Empty>
        }
      />
      {isOpen && <RecordDialog onClose={() => setIsOpen(false)} />}
    </Page>
  );
}
