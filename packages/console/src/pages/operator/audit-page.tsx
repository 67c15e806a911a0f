import { useAccount } from "../../api/account.tsx";
import { FilterBar } from "../../lists/filter-bar.tsx";
import { List } from "../../lists/list.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Page } from "../../ui/page.tsx";
import { useFilters, usePicked } from "../../ui/search-params.ts";
import { AUDIT_FILTERS, AUDIT_QUERY, auditColumns, useEntryDialog } from "../audit/entries.tsx";
import { ACCOUNT_FILTER } from "./account-field.tsx";

const PAGE_ITEMS = 100;

/** Audit chain of the installation, or of one account. */
export function OperatorAuditPage() {
  const { api } = useAccount();
  const [search] = useFilters();
  const query = usePicked(search, [...AUDIT_QUERY, "account_id"]);
  const [dialog, open] = useEntryDialog();
  return (
    <Page
      title="Audit log"
      about="Entries of the installation. With an account: that account’s entries."
    >
      <FilterBar filters={[ACCOUNT_FILTER, ...AUDIT_FILTERS]} />
      <List
        label="Audit log"
        source={{
          key: ["op-audit", query],
          pageItems: PAGE_ITEMS,
          fetch: (cursor, signal) =>
            api.operator.auditLogs.list(
              { ...(query as object), limit: PAGE_ITEMS, cursor },
              { signal },
            ),
        }}
        columns={auditColumns(open)}
        empty={<Empty icon="list" title="No results" />}
      />
      {dialog}
    </Page>
  );
}
