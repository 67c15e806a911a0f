import type { OperatorAccount } from "@longwave/sdk";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useAccount } from "../../api/account.tsx";
import { useAct } from "../../api/queries.ts";
import { FilterBar, type FilterSpec } from "../../lists/filter-bar.tsx";
import { type Column, List } from "../../lists/list.tsx";
import { Button } from "../../ui/button.tsx";
import { Id } from "../../ui/copy.tsx";
import { FormDialog } from "../../ui/dialog.tsx";
import { Empty } from "../../ui/empty.tsx";
import { errorAt, errorBeside, TextField } from "../../ui/field.tsx";
import { formatUsd } from "../../ui/format.ts";
import { statesOf } from "../../ui/looks.ts";
import { Page } from "../../ui/page.tsx";
import { useFilters, usePicked } from "../../ui/search-params.ts";
import { Status } from "../../ui/status.tsx";
import { Time } from "../../ui/values.tsx";

const PAGE_ITEMS = 100;
const FILTERS: readonly FilterSpec[] = [
  { name: "q", label: "Name", kind: "text" },
  { name: "status", label: "Any status", kind: "choice", choices: statesOf("account") },
  {
    name: "live_access",
    label: "Any live access",
    kind: "choice",
    choices: statesOf("live_access"),
  },
];

const COLUMNS: readonly Column<OperatorAccount>[] = [
  {
    name: "Name",
    width: "minmax(140px, 1fr)",
    cell: (row) => <span className="strong">{row.name}</span>,
  },
  {
    name: "Status",
    width: "120px",
    cell: (row) => <Status machine="account" state={row.status} />,
  },
  {
    name: "Live access",
    width: "140px",
    wideOnly: true,
    cell: (row) => <Status machine="live_access" state={row.live_access} />,
  },
  {
    name: "Balance",
    width: "110px",
    right: true,
    wideOnly: true,
    isMoney: true,
    cell: (row) => formatUsd(row.balance_usd),
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

export function OperatorAccountsPage() {
  const { api } = useAccount();
  const [search] = useFilters();
  const query = usePicked(search, ["q", "status", "live_access"]);
  const [isOpen, setIsOpen] = useState(false);
  return (
    <Page
      title="Accounts"
      about="Everyone who uses this installation."
      actions={
        <Button kind="primary" icon="plus" onClick={() => setIsOpen(true)}>
          New account
        </Button>
      }
    >
      <FilterBar filters={FILTERS} />
      <List
        label="Accounts"
        source={{
          key: ["op-accounts", query],
          pageItems: PAGE_ITEMS,
          fetch: (cursor, signal) =>
            api.operator.accounts.list(
              { ...(query as object), limit: PAGE_ITEMS, cursor },
              { signal },
            ),
        }}
        columns={COLUMNS}
        linkOf={(row) => `/op/accounts/${row.id}`}
        empty={<Empty icon="building" title="No account matches" />}
      />
      {isOpen && <NewAccount onClose={() => setIsOpen(false)} />}
    </Page>
  );
}

function NewAccount(props: { onClose: () => void }) {
  const navigate = useNavigate();
  const [name, setName] = useState("");
  const create = useAct(
    (_: undefined, { api, idempotencyKey }) =>
      api.operator.accounts.create({ name }, { idempotencyKey }),
    {
      stale: ["op-accounts"],
      onDone: (made) => void navigate({ to: `/op/accounts/${made.id}`, search: {} } as never),
    },
  );
  return (
    <FormDialog
      title="New account"
      isOpen
      onClose={props.onClose}
      onSubmit={() => create.mutate(undefined)}
      submit="Create"
      busy={create.isPending}
      error={errorBeside(create.error, ["name"])}
    >
      <TextField
        label="Name"
        required
        value={name}
        error={errorAt(create.error, "name")}
        onChange={(event) => setName(event.target.value)}
      />
    </FormDialog>
  );
}
