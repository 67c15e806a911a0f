import { useAccount, useHasRole } from "../../api/account.tsx";
import { ExportLink } from "../../lists/export-link.tsx";
import { FilterBar } from "../../lists/filter-bar.tsx";
import { List } from "../../lists/list.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Page } from "../../ui/page.tsx";
import { RoleNeeded } from "../../ui/role-needed.tsx";
import { useFilters, usePicked } from "../../ui/search-params.ts";
import { AUDIT_FILTERS, AUDIT_QUERY, auditColumns, useEntryDialog } from "./entries.tsx";

const PAGE_ITEMS = 100;

export function AuditPage() {
  const { api } = useAccount();
  const mayRead = useHasRole("admin");
  const [search] = useFilters();
  const query = usePicked(search, AUDIT_QUERY);
  const [dialog, open] = useEntryDialog();
  return (
    <Page
      title="Audit log"
      about="Changes and their authors. Each entry carries the hash of the one before, so a rewrite shows."
      actions={<ExportLink list="audit_log" query={query} />}
    >
      {mayRead ? (
        <>
          <FilterBar filters={AUDIT_FILTERS} />
          <List
            label="Audit log"
            source={{
              key: ["audit", query],
              pageItems: PAGE_ITEMS,
              fetch: (cursor, signal) =>
                api.auditLogs.list({ ...(query as object), limit: PAGE_ITEMS, cursor }, { signal }),
            }}
            columns={auditColumns(open)}
            empty={
              <Empty icon="list" title="No results">
                Keys, webhooks, members, numbers, registrations, credits and sign-ins are written
                down here.
              </Empty>
            }
          />
          {dialog}
        </>
      ) : (
        <RoleNeeded needed="admin" what="the audit log" />
      )}
    </Page>
  );
}
