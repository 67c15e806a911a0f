import type { OperatorAccount } from "@longwave/sdk";
import { useParams } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { useAct, useRead } from "../../api/queries.ts";
import { useHasBilling } from "../../api/session.ts";
import { Loaded } from "../../lists/loaded.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Id } from "../../ui/copy.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { errorAt, errorBeside, TextField } from "../../ui/field.tsx";
import { formatUsd } from "../../ui/format.ts";
import { Card, Facts, Page } from "../../ui/page.tsx";
import { ErrorBox } from "../../ui/problem.tsx";
import { Status } from "../../ui/status.tsx";
import { toast } from "../../ui/toast.tsx";
import { Time } from "../../ui/values.tsx";
import { AccountLimits } from "./account-limits.tsx";
import { DeleteAccount } from "./delete-account.tsx";
import { InvitePerson } from "./invite-person.tsx";
import { OperatorKeys } from "./keys.tsx";
import { OpenAccount } from "./open-account.tsx";
import { requestFacts } from "./request-facts.tsx";

export function OperatorAccountPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const hasBilling = useHasBilling();
  const account = useRead(["op-accounts", id], (api, signal) =>
    api.operator.accounts.get(id, { signal }),
  );
  return (
    <Page
      title={account.data?.name ?? "Account"}
      crumb={{ to: "/op/accounts", label: "Accounts" }}
      actions={
        account.data && (
          <>
            <ButtonLink to="/op/audit" search={{ account_id: account.data.id }} icon="list">
              Audit log
            </ButtonLink>
            <OpenAccount accountId={account.data.id} name={account.data.name} />
            <Suspend account={account.data} />
            <DeleteAccount account={account.data} />
          </>
        )
      }
    >
      <Loaded query={account}>
        {(value) => (
          <div className="columns">
            <div className="stack-wide">
              <AccountLimits
                key={`${value.live_access} ${value.rate_limit} ${value.daily_message_quota}`}
                account={value}
              />
              <OperatorKeys accountId={value.id} />
            </div>
            <div className="stack-wide">
              <Card title="Details">
                <Facts
                  facts={[
                    { name: "Id", value: <Id value={value.id} /> },
                    { name: "Status", value: <Status machine="account" state={value.status} /> },
                    {
                      name: "Live access",
                      value: <Status machine="live_access" state={value.live_access} />,
                    },
                    hasBilling ? { name: "Balance", value: formatUsd(value.balance_usd) } : null,
                    { name: "Created", value: <Time at={value.created_at} /> },
                  ]}
                />
              </Card>
              <RequestCard account={value} />
              <InvitePerson accountId={value.id} />
              {hasBilling && <Credit accountId={value.id} />}
            </div>
          </div>
        )}
      </Loaded>
    </Page>
  );
}

/** Answers of the account in its request for live access. */
function RequestCard(props: { account: OperatorAccount }) {
  const request = props.account.live_access_request;
  if (request === null) return null;
  return (
    <Card title="Live access request">
      <Facts facts={requestFacts(request)} />
    </Card>
  );
}

function Suspend(props: { account: OperatorAccount }) {
  const { account } = props;
  const [isAsking, setIsAsking] = useState(false);
  const isSuspended = account.status === "suspended";
  const change = useAct(
    (_: undefined, { api }) =>
      api.operator.accounts.update(account.id, { status: isSuspended ? "active" : "suspended" }),
    { stale: ["op-accounts"], onDone: () => setIsAsking(false) },
  );
  return (
    <>
      <Button kind={isSuspended ? "secondary" : "danger"} onClick={() => setIsAsking(true)}>
        {isSuspended ? "Reactivate" : "Suspend"}
      </Button>
      <Confirm
        title={isSuspended ? `Reactivate ${account.name}?` : `Suspend ${account.name}?`}
        isOpen={isAsking}
        onClose={() => setIsAsking(false)}
        onConfirm={() => change.mutate(undefined)}
        action={isSuspended ? "Reactivate" : "Suspend the account"}
        busy={change.isPending}
        error={change.error}
      >
        {isSuspended
          ? "Its keys work again within a second, and its batches go on."
          : "All of its calls are refused within a second and its batches wait. What people text it is stored, and STOP is honored."}
      </Confirm>
    </>
  );
}

function Credit(props: { accountId: string }) {
  const [amount, setAmount] = useState("");
  const [note, setNote] = useState("");
  const add = useAct(
    (_: undefined, { api, idempotencyKey }) =>
      api.operator.credits.create(
        props.accountId,
        { amount_usd: Number(amount), note: note || null },
        { idempotencyKey },
      ),
    {
      stale: ["op-accounts"],
      onDone: (credit) => {
        setAmount("");
        setNote("");
        toast(`The balance is now ${formatUsd(credit.balance_usd)}.`);
      },
    },
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    add.mutate(undefined);
  };
  return (
    <Card title="Add credit">
      <form className="stack" onSubmit={submit}>
        <TextField
          label="US dollars"
          required
          inputMode="decimal"
          help="A negative amount takes credit away."
          value={amount}
          error={errorAt(add.error, "amount_usd")}
          onChange={(event) => setAmount(event.target.value)}
        />
        <TextField
          label="Note"
          optional
          value={note}
          onChange={(event) => setNote(event.target.value)}
        />
        {errorBeside(add.error, ["amount_usd"]) !== null && <ErrorBox error={add.error} />}
        <Button type="submit" busy={add.isPending}>
          {amount === "" ? "Add credit" : `Add ${formatUsd(Number(amount) || 0)}`}
        </Button>
      </form>
    </Card>
  );
}
