import type { OperatorAccount, OperatorRegistration } from "@longwave/sdk";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useAct, useRead } from "../../api/queries.ts";
import { Loaded } from "../../lists/loaded.tsx";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { Empty } from "../../ui/empty.tsx";
import { formatCount } from "../../ui/format.ts";
import { Card, Facts, Page } from "../../ui/page.tsx";
import { ErrorBox } from "../../ui/problem.tsx";
import { Status } from "../../ui/status.tsx";
import { Table } from "../../ui/table.tsx";
import { Tabs, useTab } from "../../ui/tabs.tsx";
import { toast } from "../../ui/toast.tsx";
import { Time } from "../../ui/values.tsx";
import { wordsOfUseCase } from "../registrations/words.ts";
import { requestedAt, waitingAccounts, waitingRegistrations } from "./review-queues.ts";

const REFETCH_MS = 10_000;

/** Queue of requests that need the operator's decision, oldest first. */
export function ReviewsPage() {
  const registrations = useRead(["op-reviews", "registrations"], waitingRegistrations, {
    refetchMs: REFETCH_MS,
  });
  const accounts = useRead(["op-reviews", "accounts"], waitingAccounts, { refetchMs: REFETCH_MS });
  const tabs = [
    { id: "registrations", label: `Registrations (${registrations.data?.length ?? 0})` },
    { id: "live-access", label: `Live access (${accounts.data?.length ?? 0})` },
  ];
  const tab = useTab(tabs);
  return (
    <Page title="Reviews" about="What waits for you, the oldest first.">
      <div className="stack">
        <Tabs label="Kinds of reviews" tabs={tabs} chosen={tab} />
        {tab === "registrations" ? (
          <Loaded query={registrations}>{(rows) => <Registrations rows={rows} />}</Loaded>
        ) : (
          <Loaded query={accounts}>{(rows) => <Accounts rows={rows} />}</Loaded>
        )}
      </div>
    </Page>
  );
}

function NothingWaits(props: { what: string }) {
  return (
    <div className="list">
      <Empty icon="check" title="Nothing waits">
        {props.what}
      </Empty>
    </div>
  );
}

function Registrations(props: { rows: readonly OperatorRegistration[] }) {
  if (props.rows.length === 0) {
    return <NothingWaits what="Registrations that customers submit stand here until you decide." />;
  }
  return (
    <Table
      label="Registrations that wait"
      links
      rows={props.rows}
      keyOf={(row) => row.id}
      columns={[
        {
          name: "Business",
          cell: (row) => (
            <Link to={`/op/reviews/${row.id}`} search={{}} className="strong">
              {row.business_name}
            </Link>
          ),
        },
        { name: "Status", cell: (row) => <Status machine="registration" state={row.status} /> },
        { name: "For", cell: (row) => wordsOfUseCase(row.use_case) },
        {
          name: "Found",
          cell: (row) =>
            row.check === null
              ? "–"
              : `${row.check.failed + row.sample_check.failed} fail, ${row.check.warnings + row.sample_check.warnings} warn`,
        },
        { name: "Submitted", right: true, cell: (row) => formatCount(row.submissions) },
        { name: "Waits since", right: true, cell: (row) => <Time at={row.updated_at} /> },
      ]}
    />
  );
}

function Accounts(props: { rows: readonly OperatorAccount[] }) {
  if (props.rows.length === 0) {
    return <NothingWaits what="Accounts that ask for live access stand here until you decide." />;
  }
  return (
    <div className="stack-wide">
      {props.rows.map((row) => (
        <LiveAccessRequest key={row.id} account={row} />
      ))}
    </div>
  );
}

/** Live access request of an account, with the decision. */
export function LiveAccessRequest(props: { account: OperatorAccount }) {
  const { account } = props;
  const request = account.live_access_request;
  const [isRejecting, setIsRejecting] = useState(false);
  const decide = useAct(
    (live_access: "granted" | "rejected", { api }) =>
      api.operator.accounts.update(account.id, { live_access }),
    {
      stale: ["op-reviews", "op-accounts"],
      onDone: (saved) => {
        setIsRejecting(false);
        toast(saved.live_access === "granted" ? "Granted." : "Rejected.");
      },
    },
  );
  return (
    <Card
      title={account.name}
      aside={
        <span className="meta">
          asked <Time at={requestedAt(account)} />
        </span>
      }
    >
      <div className="stack">
        {request && (
          <Facts
            facts={[
              { name: "Company", value: request.company },
              { name: "Website", value: <span className="wrap-anywhere">{request.website}</span> },
              { name: "For", value: request.use_case },
              { name: "Texts a month", value: formatCount(request.monthly_volume) },
            ]}
          />
        )}
        {decide.error && !isRejecting ? <ErrorBox error={decide.error} /> : null}
        <div className="row">
          <Button kind="primary" busy={decide.isPending} onClick={() => decide.mutate("granted")}>
            Grant live access
          </Button>
          <Button kind="danger" onClick={() => setIsRejecting(true)}>
            Reject
          </Button>
          <Link to={`/op/accounts/${account.id}`} search={{}}>
            See the account
          </Link>
        </div>
      </div>
      <Confirm
        title={`Reject the request of ${account.name}?`}
        isOpen={isRejecting}
        onClose={() => setIsRejecting(false)}
        onConfirm={() => decide.mutate("rejected")}
        action="Reject it"
        busy={decide.isPending}
        error={decide.error}
      >
        They stay in the sandbox, see the rejection in the console, and may ask again.
      </Confirm>
    </Card>
  );
}
