import type { Customer } from "@longwave/sdk";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useAccount, useHasRole } from "../../api/account.tsx";
import { useAct } from "../../api/queries.ts";
import { FilterBar, type FilterSpec } from "../../lists/filter-bar.tsx";
import { type Column, List } from "../../lists/list.tsx";
import { Button } from "../../ui/button.tsx";
import { Id } from "../../ui/copy.tsx";
import { FormDialog } from "../../ui/dialog.tsx";
import { Empty } from "../../ui/empty.tsx";
import { errorAt, errorBeside, TextField } from "../../ui/field.tsx";
import { Page } from "../../ui/page.tsx";
import { useFilters, usePicked } from "../../ui/search-params.ts";
import { Time } from "../../ui/values.tsx";
import { MonthMessages, MonthSpend } from "./month.tsx";

const PAGE_ITEMS = 100;
const FILTERS: readonly FilterSpec[] = [{ name: "q", label: "Name or external ID", kind: "text" }];

const COLUMNS: readonly Column<Customer>[] = [
  {
    name: "Name",
    width: "minmax(140px, 1fr)",
    cell: (row) => <span className="strong">{row.name}</span>,
  },
  {
    name: "External ID",
    width: "minmax(100px, 1fr)",
    wideOnly: true,
    cell: (row) => row.external_id ?? <span className="muted">–</span>,
  },
  {
    name: "Messages this month",
    width: "150px",
    right: true,
    wideOnly: true,
    cell: (row) => <MonthMessages customerId={row.id} />,
  },
  {
    name: "Spend this month",
    width: "130px",
    right: true,
    isMoney: true,
    cell: (row) => <MonthSpend customerId={row.id} />,
  },
  { name: "Id", width: "160px", wideOnly: true, cell: (row) => <Id value={row.id} /> },
  {
    name: "Created",
    width: "112px",
    right: true,
    wideOnly: true,
    cell: (row) => <Time at={row.created_at} />,
  },
];

export function CustomersPage() {
  const { api, base } = useAccount();
  const [search] = useFilters();
  const query = usePicked(search, ["q"]);
  const mayEdit = useHasRole("member");
  const [isOpen, setIsOpen] = useState(false);
  const create = mayEdit && (
    <Button kind="primary" icon="plus" onClick={() => setIsOpen(true)}>
      New customer
    </Button>
  );
  return (
    <Page
      title="Customers"
      about="Businesses you send on behalf of. Numbers, usage and opt-outs can belong to one."
      actions={create}
    >
      <FilterBar filters={FILTERS} />
      <List
        label="Customers"
        source={{
          key: ["customers", query],
          pageItems: PAGE_ITEMS,
          fetch: (cursor, signal) =>
            api.customers.list({ ...query, limit: PAGE_ITEMS, cursor }, { signal }),
        }}
        columns={COLUMNS}
        linkOf={(row) => `${base}/customers/${row.id}`}
        empty={
          query.q ? (
            <Empty icon="building" title="No customers match">
              Search by another part of the name or external ID.
            </Empty>
          ) : (
            <Empty icon="building" title="No customers" action={create}>
              If you send on behalf of others, give each a customer: their texts, costs and opt-outs
              stay apart.
            </Empty>
          )
        }
      />
      {isOpen && <CustomerDialog onClose={() => setIsOpen(false)} />}
    </Page>
  );
}

function CustomerDialog(props: { onClose: () => void }) {
  const { base } = useAccount();
  const navigate = useNavigate();
  const [name, setName] = useState("");
  const [externalId, setExternalId] = useState("");
  const create = useAct(
    (_: undefined, { api, idempotencyKey }) =>
      api.customers.create({ name, external_id: externalId || null }, { idempotencyKey }),
    {
      stale: ["customers"],
      onDone: (made) => void navigate({ to: `${base}/customers/${made.id}`, search: {} } as never),
    },
  );
  return (
    <FormDialog
      title="New customer"
      isOpen
      onClose={props.onClose}
      onSubmit={() => create.mutate(undefined)}
      submit="Create"
      busy={create.isPending}
      error={errorBeside(create.error, ["name", "external_id"])}
    >
      <TextField
        label="Name"
        required
        value={name}
        error={errorAt(create.error, "name")}
        onChange={(event) => setName(event.target.value)}
      />
      <TextField
        label="External ID"
        optional
        value={externalId}
        error={errorAt(create.error, "external_id")}
        onChange={(event) => setExternalId(event.target.value)}
      />
    </FormDialog>
  );
}
