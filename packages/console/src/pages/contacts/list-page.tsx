import type { Contact } from "@longwave/sdk";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useAccount, useHasRole } from "../../api/account.tsx";
import { useRead } from "../../api/queries.ts";
import { ExportLink } from "../../lists/export-link.tsx";
import { FilterBar, type FilterSpec } from "../../lists/filter-bar.tsx";
import { type Column, List } from "../../lists/list.tsx";
import type { Bulk } from "../../lists/selection.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Empty } from "../../ui/empty.tsx";
import { formatPhone } from "../../ui/format.ts";
import { Page } from "../../ui/page.tsx";
import { useFilters, usePicked } from "../../ui/search-params.ts";
import { Status } from "../../ui/status.tsx";
import { Tags } from "../../ui/tags.tsx";
import { Time } from "../../ui/values.tsx";
import { ContactBulkActions, contactName } from "./bulk-actions.tsx";
import { ContactDialog } from "./contact-form.tsx";
import { TextMatches } from "./text-matches.tsx";

const PAGE_ITEMS = 100;
const SEGMENTS_OFFERED_MAX = 100;

const COLUMNS: readonly Column<Contact>[] = [
  {
    name: "Name",
    width: "minmax(140px, 1.2fr)",
    cell: (row) =>
      row.name ? <span className="strong">{row.name}</span> : <span className="muted">–</span>,
  },
  { name: "Phone", width: "140px", cell: (row) => formatPhone(row.phone_number) },
  {
    name: "Email",
    width: "minmax(120px, 1fr)",
    wideOnly: true,
    cell: (row) => row.email ?? <span className="muted">–</span>,
  },
  {
    name: "Company",
    width: "minmax(100px, 0.8fr)",
    wideOnly: true,
    cell: (row) => row.company ?? <span className="muted">–</span>,
  },
  {
    name: "Tags",
    width: "minmax(100px, 1fr)",
    wideOnly: true,
    cell: (row) => <Tags tags={row.tags} />,
  },
  {
    name: "Consent",
    width: "110px",
    wideOnly: true,
    cell: (row) => <ContactConsent contact={row} />,
  },
  {
    name: "Added",
    width: "104px",
    right: true,
    wideOnly: true,
    cell: (row) => <Time at={row.created_at} />,
  },
];

function ContactConsent({ contact }: { contact: Contact }) {
  if (contact.opted_out) return <Status machine="consent" state="opted_out" />;
  if (contact.opt_in?.status) return <Status machine="consent" state="opted_in" />;
  return <span className="muted">–</span>;
}

const CONTACT_BULK: Bulk<Contact> = {
  idOf: (row) => row.id,
  nameOf: contactName,
  actions: (selected, clear) => <ContactBulkActions selected={selected} clear={clear} />,
};

export function ContactsPage() {
  const { api, base } = useAccount();
  const [search] = useFilters();
  const query = usePicked(search, ["q", "tag", "segment_id", "phone_number"]);
  const mayEdit = useHasRole("member");
  const [isOpen, setIsOpen] = useState(false);
  const navigate = useNavigate();
  const filters = useContactFilters();
  const create = mayEdit && (
    <>
      <ButtonLink to={`${base}/contacts/import`} icon="upload">
        Import
      </ButtonLink>
      <Button kind="primary" icon="plus" onClick={() => setIsOpen(true)}>
        New contact
      </Button>
    </>
  );
  return (
    <Page
      title="Contacts"
      about="The people behind the numbers: one contact per phone."
      actions={
        <>
          <ExportLink list="contacts" query={query} />
          {mayEdit && Object.keys(query).length > 0 && <TextMatches query={query} />}
          {create}
        </>
      }
    >
      <FilterBar filters={filters} />
      <List
        label="Contacts"
        source={{
          key: ["contacts", query],
          pageItems: PAGE_ITEMS,
          fetch: (cursor, signal) =>
            api.contacts.list({ ...query, limit: PAGE_ITEMS, cursor }, { signal }),
        }}
        columns={COLUMNS}
        linkOf={(row) => `${base}/contacts/${row.id}`}
        bulk={mayEdit ? CONTACT_BULK : undefined}
        empty={
          <Empty
            icon="users"
            title={Object.keys(query).length > 0 ? "No contacts match" : "No contacts yet"}
            action={create}
          >
            {Object.keys(query).length > 0
              ? "No contact has all of this. Take a filter away."
              : "Add people one by one, or import a file of up to 100,000."}
          </Empty>
        }
      />
      {isOpen && (
        <ContactDialog
          contact={null}
          onClose={() => setIsOpen(false)}
          onSaved={(made) =>
            void navigate({ to: `${base}/contacts/${made.id}`, search: {} } as never)
          }
        />
      )}
    </Page>
  );
}

function useContactFilters(): readonly FilterSpec[] {
  const segments = useRead(["segments", "choices"], (api, signal) =>
    api.segments.list({ limit: SEGMENTS_OFFERED_MAX }, { signal }),
  );
  const choices = (segments.data?.data ?? []).map(({ id, name }) => ({ value: id, label: name }));
  return [
    { name: "q", label: "Name, phone, email, company", kind: "text" },
    { name: "tag", label: "Tag", kind: "text" },
    { name: "phone_number", label: "Phone", kind: "phone", whenSet: true },
    ...(choices.length > 0
      ? [{ name: "segment_id", label: "Segment", kind: "choice", choices } as const]
      : []),
  ];
}
