import type { Customer, CustomerUsage } from "@longwave/sdk";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useAccount, useHasRole } from "../../api/account.tsx";
import { useAct, useRead } from "../../api/queries.ts";
import { useHasBilling } from "../../api/session.ts";
import { Loaded } from "../../lists/loaded.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { readerZone } from "../../ui/calendar.ts";
import { StackedBars } from "../../ui/chart.tsx";
import { Id } from "../../ui/copy.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { formatCount, formatUsd } from "../../ui/format.ts";
import { Card, Facts, Page } from "../../ui/page.tsx";
import { Tiles } from "../../ui/tiles.tsx";
import { Time } from "../../ui/values.tsx";
import { useOpenMessages } from "../messages/use-open-messages.ts";
import { dayBuckets, newestDays, USAGE_SERIES } from "./days.ts";
import { EditCustomer } from "./edit-customer.tsx";
import { MonthSpend } from "./month.tsx";

const DAYS_SHOWN = 30;

export function CustomerPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const { base } = useAccount();
  const customer = useRead(["customers", id], (api, signal) => api.customers.get(id, { signal }));
  const usage = useRead(["customers", id, "usage"], (api, signal) =>
    api.customers.usage(
      id,
      { created_after: newestDays(DAYS_SHOWN), timezone: readerZone() },
      { signal },
    ),
  );
  return (
    <Page
      title={customer.data?.name ?? "Customer"}
      crumb={{ to: `${base}/customers`, label: "Customers" }}
      actions={customer.data && <Actions customer={customer.data} />}
    >
      <Loaded query={customer}>
        {(value) => (
          <div className="columns">
            <div className="stack-wide">
              <Loaded query={usage}>{(read) => <Usage usage={read} />}</Loaded>
            </div>
            <Card title="Details">
              <Facts
                facts={[
                  { name: "Id", value: <Id value={value.id} /> },
                  { name: "External ID", value: value.external_id ?? "–" },
                  { name: "Created", value: <Time at={value.created_at} /> },
                  { name: "Changed", value: <Time at={value.updated_at} /> },
                ]}
              />
            </Card>
          </div>
        )}
      </Loaded>
    </Page>
  );
}

function Usage(props: { usage: CustomerUsage }) {
  const { usage } = props;
  const { outbound, inbound, verifications } = usage.totals;
  const openMessages = useOpenMessages({ customer_id: usage.customer_id });
  const cost = outbound.cost_usd + inbound.cost_usd + verifications.cost_usd;
  const money = [
    { name: "Cost", value: formatUsd(cost), note: "last 30 days" },
    { name: "Spend this month", value: <MonthSpend customerId={usage.customer_id} /> },
  ];
  const hasBilling = useHasBilling();
  return (
    <>
      <Tiles
        tiles={[
          { name: "Sent", value: formatCount(outbound.count), note: "last 30 days" },
          { name: "Received", value: formatCount(inbound.count), note: "last 30 days" },
          { name: "Verifications", value: formatCount(verifications.count), note: "last 30 days" },
          ...(hasBilling ? money : []),
        ]}
      />
      <Card title="Last 30 days">
        <StackedBars
          label="Usage by day"
          series={USAGE_SERIES}
          buckets={dayBuckets(usage)}
          onPick={openMessages}
        />
      </Card>
    </>
  );
}

function Actions(props: { customer: Customer }) {
  const { base } = useAccount();
  const mayDelete = useHasRole("admin");
  const mayEdit = useHasRole("member");
  const [isEditing, setIsEditing] = useState(false);
  const navigate = useNavigate();
  const [isAsking, setIsAsking] = useState(false);
  const remove = useAct((_: undefined, { api }) => api.customers.delete(props.customer.id), {
    stale: ["customers"],
    onDone: () => void navigate({ to: `${base}/customers`, search: {} } as never),
  });
  return (
    <>
      <ButtonLink to={`${base}/numbers`} search={{ customer_id: props.customer.id }} icon="hash">
        Numbers
      </ButtonLink>
      <ButtonLink
        to={`${base}/messages`}
        search={{ customer_id: props.customer.id }}
        icon="message"
      >
        Messages
      </ButtonLink>
      {mayEdit && (
        <Button icon="settings" onClick={() => setIsEditing(true)}>
          Edit
        </Button>
      )}
      {isEditing && <EditCustomer customer={props.customer} onClose={() => setIsEditing(false)} />}
      {mayDelete && (
        <Button kind="danger" onClick={() => setIsAsking(true)}>
          Delete
        </Button>
      )}
      <Confirm
        title={`Delete ${props.customer.name}?`}
        isOpen={isAsking}
        onClose={() => setIsAsking(false)}
        onConfirm={() => remove.mutate(undefined)}
        action="Delete the customer"
        busy={remove.isPending}
        error={remove.error}
      >
        Their messages stay. A customer with numbers cannot be deleted: take the numbers away first.
      </Confirm>
    </>
  );
}
