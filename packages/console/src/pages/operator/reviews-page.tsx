import type { OperatorAccount, OperatorRegistration } from "@longwave/sdk";
import { Link } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { useAct, useRead } from "../../api/queries.ts";
import { Loaded } from "../../lists/loaded.tsx";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { Empty } from "../../ui/empty.tsx";
import { formatCount } from "../../ui/format.ts";
import { Card, Facts, Page } from "../../ui/page.tsx";
import { Badge, Status } from "../../ui/status.tsx";
import { Table } from "../../ui/table.tsx";
import { Tabs, useTab } from "../../ui/tabs.tsx";
import { toast } from "../../ui/toast.tsx";
import { Time } from "../../ui/values.tsx";
import { findingCounts } from "../registrations/list-page.tsx";
import { wordsOfUseCase } from "../registrations/words.ts";
import { AccountName } from "./account-name.tsx";
import { AllRegistrations } from "./all-registrations.tsx";
import { inPlace } from "./in-place.ts";
import { requestFacts } from "./request-facts.tsx";
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
    { id: "all", label: "All registrations" },
  ];
  const tab = useTab(tabs);
  return (
    <Page title="Reviews" about="Requests that wait for you, oldest first, and all registrations.">
      <div className="stack">
        <Tabs label="Kinds of reviews" tabs={tabs} chosen={tab} />
        {tab === "registrations" && (
          <Loaded query={registrations}>{(rows) => <Registrations rows={rows} />}</Loaded>
        )}
        {tab === "live-access" && (
          <Loaded query={accounts}>{(rows) => <Accounts rows={rows} />}</Loaded>
        )}
        {tab === "all" && <AllRegistrations />}
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
    return <NothingWaits what="Submitted registrations appear here until you decide." />;
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
        { name: "Account", cell: (row) => <AccountName id={row.account_id} /> },
        { name: "Status", cell: (row) => <Status machine="registration" state={row.status} /> },
        { name: "For", cell: (row) => wordsOfUseCase(row.use_case) },
        {
          name: "Findings",
          cell: (row) => (row.check === null ? "–" : findingCounts(row)),
        },
        { name: "Submissions", right: true, cell: (row) => formatCount(row.submissions) },
        { name: "Waiting since", right: true, cell: (row) => <Time at={row.updated_at} /> },
      ]}
    />
  );
}

function Accounts(props: { rows: readonly OperatorAccount[] }) {
  const [decided, setDecided] = useState<readonly OperatorAccount[]>([]);
  const shown = useRef<readonly OperatorAccount[]>([]);
  shown.current = inPlace(shown.current, props.rows, decided);
  if (shown.current.length === 0) {
    return <NothingWaits what="Accounts that request live access appear here until you decide." />;
  }
  return (
    <div className="stack-wide">
      {shown.current.map((row) => (
        <LiveAccessRequest
          key={row.id}
          account={row}
          onDecided={(account) => setDecided((before) => [...before, account])}
        />
      ))}
    </div>
  );
}

/** Live access request of an account, with the decision. */
export function LiveAccessRequest(props: {
  account: OperatorAccount;
  onDecided?: (account: OperatorAccount) => void;
}) {
  const { account } = props;
  const request = account.live_access_request;
  const [asked, setAsked] = useState<"granted" | "rejected" | null>(null);
  const isGrant = asked === "granted";
  const decide = useAct(
    (live_access: "granted" | "rejected", { api }) =>
      api.operator.accounts.update(account.id, { live_access }),
    {
      stale: ["op-reviews", "op-accounts"],
      onDone: (saved) => {
        setAsked(null);
        props.onDecided?.(saved);
        toast(
          saved.live_access === "granted"
            ? `${account.name} has live access.`
            : `The request of ${account.name} was rejected.`,
        );
      },
    },
  );
  return (
    <Card
      title={account.name}
      aside={
        <span className="meta">
          requested <Time at={requestedAt(account)} />
        </span>
      }
    >
      <div className="stack">
        {request && <Facts facts={requestFacts(request)} />}
        <div className="row">
          {account.live_access === "requested" ? (
            <>
              <Button kind="primary" onClick={() => setAsked("granted")}>
                Grant live access
              </Button>
              <Button kind="danger" onClick={() => setAsked("rejected")}>
                Reject
              </Button>
            </>
          ) : (
            <Badge
              tone={account.live_access === "granted" ? "green" : "red"}
              word={account.live_access === "granted" ? "Granted" : "Rejected"}
            />
          )}
          <Link to={`/op/accounts/${account.id}`} search={{}}>
            See the account
          </Link>
        </div>
      </div>
      <Confirm
        title={
          isGrant ? `Grant ${account.name} live access?` : `Reject the request of ${account.name}?`
        }
        isOpen={asked !== null}
        onClose={() => setAsked(null)}
        onConfirm={() => asked && decide.mutate(asked)}
        action={isGrant ? "Grant" : "Reject request"}
        isSafe={isGrant}
        busy={decide.isPending}
        error={decide.error}
      >
        {isGrant
          ? "Their live keys work at once, and their messages reach real phones."
          : "They stay in the sandbox, see the rejection in the console, and may ask again."}
      </Confirm>
    </Card>
  );
}
