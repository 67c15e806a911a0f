import type { OperatorPortRequest, PortRequest } from "@longwave/sdk";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useAccount } from "../../api/account.tsx";
import { useAct } from "../../api/queries.ts";
import type { FilterSpec } from "../../lists/filter-bar.tsx";
import { List } from "../../lists/list.tsx";
import { Button } from "../../ui/button.tsx";
import { FormDialog } from "../../ui/dialog.tsx";
import { Empty } from "../../ui/empty.tsx";
import { errorAt, errorBeside, TextField } from "../../ui/field.tsx";
import { Page } from "../../ui/page.tsx";
import { useFilters, usePicked } from "../../ui/search-params.ts";
import { PortFilters } from "../ports/port-filters.tsx";
import { portColumns } from "../ports/ports-page.tsx";
import { ACCOUNT_FILTER, AccountField } from "./account-field.tsx";
import { AccountName } from "./account-name.tsx";

const PAGE_ITEMS = 100;
const FILTERS: readonly FilterSpec[] = [
  { name: "phone_number", label: "Any account's number", kind: "phone" },
  ACCOUNT_FILTER,
];
/** Next step of the operator, by status. */
const STEPS: readonly { value: PortRequest["status"] | ""; label: string }[] = [
  { value: "", label: "Every request" },
  { value: "requested", label: "To submit" },
  { value: "submitted", label: "Needs date" },
  { value: "foc_set", label: "To complete" },
  { value: "complete", label: "Done" },
  { value: "rejected", label: "Rejected" },
];

export function OperatorPortsPage() {
  const { api } = useAccount();
  const [search] = useFilters();
  const query = usePicked(search, ["status", "phone_number", "account_id"]);
  const [isOpen, setIsOpen] = useState(false);
  const [number, ...others] = portColumns<OperatorPortRequest>();
  return (
    <Page
      title="Port requests"
      about="Numbers that come over from other providers. You move each one on."
      actions={
        <Button kind="primary" icon="plus" onClick={() => setIsOpen(true)}>
          New port request
        </Button>
      }
    >
      <PortFilters filters={FILTERS} label="Next step" steps={STEPS} />
      <List
        label="Port requests"
        source={{
          key: ["op-ports", query],
          pageItems: PAGE_ITEMS,
          fetch: (cursor, signal) =>
            api.operator.portRequests.list(
              { ...(query as object), limit: PAGE_ITEMS, cursor },
              { signal },
            ),
        }}
        columns={[
          ...(number ? [number] : []),
          {
            name: "Account",
            width: "minmax(110px, 0.8fr)",
            wideOnly: true,
            cell: (row) => <AccountName id={row.account_id} />,
          },
          ...others,
        ]}
        linkOf={(row) => `/op/ports/${row.id}`}
        empty={
          <Empty icon="inbox" title="No port requests">
            Port requests of customers appear here until their numbers have moved.
          </Empty>
        }
      />
      {isOpen && <NewPortRequest onClose={() => setIsOpen(false)} />}
    </Page>
  );
}

const PARAMS = ["account_id", "phone_number", "provider"];

function NewPortRequest(props: { onClose: () => void }) {
  const navigate = useNavigate();
  const [accountId, setAccountId] = useState("");
  const [phone, setPhone] = useState("");
  const [provider, setProvider] = useState("");
  const create = useAct(
    (_: undefined, { api, idempotencyKey }) =>
      api.operator.portRequests.create(
        { account_id: accountId, phone_number: phone, provider },
        { idempotencyKey },
      ),
    {
      stale: ["op-ports"],
      onDone: (made) => void navigate({ to: `/op/ports/${made.id}`, search: {} } as never),
    },
  );
  return (
    <FormDialog
      title="New port request"
      isOpen
      onClose={props.onClose}
      onSubmit={() => create.mutate(undefined)}
      submit="Create"
      busy={create.isPending}
      disabled={accountId === ""}
      error={errorBeside(create.error, PARAMS)}
    >
      <AccountField
        value={accountId}
        error={errorAt(create.error, "account_id")}
        onChange={setAccountId}
      />
      <TextField
        label="Phone number"
        required
        value={phone}
        error={errorAt(create.error, "phone_number")}
        onChange={(event) => setPhone(event.target.value)}
      />
      <TextField
        label="From which provider"
        required
        value={provider}
        error={errorAt(create.error, "provider")}
        onChange={(event) => setProvider(event.target.value)}
      />
    </FormDialog>
  );
}
