import type { Pool } from "@longwave/sdk";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useAccount, useHasRole } from "../../api/account.tsx";
import { useAct } from "../../api/queries.ts";
import { type Column, List } from "../../lists/list.tsx";
import { Button } from "../../ui/button.tsx";
import { Id } from "../../ui/copy.tsx";
import { FormDialog } from "../../ui/dialog.tsx";
import { Empty } from "../../ui/empty.tsx";
import { errorAt, errorBeside, TextField } from "../../ui/field.tsx";
import { formatPhone, plural } from "../../ui/format.ts";
import { Page } from "../../ui/page.tsx";
import { Time } from "../../ui/values.tsx";
import { MembersField } from "./members-field.tsx";

const PAGE_ITEMS = 100;

const COLUMNS: readonly Column<Pool>[] = [
  {
    name: "Name",
    width: "minmax(120px, 1fr)",
    cell: (row) => <span className="strong">{row.name}</span>,
  },
  { name: "Members", width: "110px", cell: (row) => plural(row.numbers.length, "number") },
  {
    name: "Numbers",
    width: "minmax(140px, 2fr)",
    wideOnly: true,
    cell: (row) => <span className="muted">{row.numbers.map(formatPhone).join(" · ")}</span>,
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

export function PoolsPage() {
  const { api, base } = useAccount();
  const mayEdit = useHasRole("member");
  const [isOpen, setIsOpen] = useState(false);
  const create = mayEdit && (
    <Button kind="primary" icon="plus" onClick={() => setIsOpen(true)}>
      New pool
    </Button>
  );
  return (
    <Page
      title="Sender pools"
      about="Send from a pool, and each recipient always hears from the same member."
      actions={create}
    >
      <List
        label="Sender pools"
        source={{
          key: ["pools"],
          pageItems: PAGE_ITEMS,
          fetch: (cursor, signal) => api.pools.list({ limit: PAGE_ITEMS, cursor }, { signal }),
        }}
        columns={COLUMNS}
        linkOf={(row) => `${base}/pools/${row.id}`}
        empty={
          <Empty icon="pool" title="No pools yet" action={create}>
            Several numbers under one name. A pool spreads texts over its members.
          </Empty>
        }
      />
      {isOpen && <PoolDialog onClose={() => setIsOpen(false)} />}
    </Page>
  );
}

function PoolDialog(props: { onClose: () => void }) {
  const { base } = useAccount();
  const navigate = useNavigate();
  const [name, setName] = useState("");
  const [numbers, setNumbers] = useState<readonly string[]>([]);
  const create = useAct(
    (_: undefined, { api, idempotencyKey }) =>
      api.pools.create({ name, numbers: [...numbers] }, { idempotencyKey }),
    {
      stale: ["pools", "numbers"],
      onDone: (pool) => void navigate({ to: `${base}/pools/${pool.id}`, search: {} } as never),
    },
  );
  return (
    <FormDialog
      title="New pool"
      isOpen
      onClose={props.onClose}
      onSubmit={() => create.mutate(undefined)}
      submit="Create the pool"
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
      <MembersField value={numbers} onChange={setNumbers} />
    </FormDialog>
  );
}
