import type { PhoneNumber } from "@longwave/sdk";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { useAccount, useHasRole } from "../../api/account.tsx";
import { useAct, useRead } from "../../api/queries.ts";
import { useHasBilling } from "../../api/session.ts";
import { Loaded } from "../../lists/loaded.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Json } from "../../ui/code.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { errorAt, errorBeside, SelectField, TextField } from "../../ui/field.tsx";
import { formatPhone } from "../../ui/format.ts";
import { Card, Facts, Page } from "../../ui/page.tsx";
import { ErrorBox } from "../../ui/problem.tsx";
import { toast } from "../../ui/toast.tsx";
import { Money, Phone, Time } from "../../ui/values.tsx";
import { useCustomerChoices, useCustomerNames } from "../customers/use-customer-names.ts";
import { DeliveryChart, DeliveryFigures } from "../deliverability/delivery-figures.tsx";
import { useTraffic } from "../deliverability/use-traffic.ts";
import { usePoolChoices } from "../pools/use-pool-choices.ts";
import { localityOf } from "./list-page.tsx";
import { SenderStateCard } from "./sender-state-card.tsx";
import { SmsUrlCard } from "./sms-url-card.tsx";

export function NumberPage() {
  const { number: id } = useParams({ strict: false }) as { number: string };
  const { base } = useAccount();
  const hasBilling = useHasBilling();
  const number = useRead(["number", id], (api, signal) => api.numbers.get(id, { signal }));
  return (
    <Page
      title={formatPhone(id)}
      crumb={{ to: `${base}/numbers`, label: "Numbers" }}
      actions={number.data && <Actions number={number.data} />}
    >
      <Loaded query={number}>
        {(value) => (
          <div className="columns">
            <div className="stack-wide">
              <SenderStateCard number={value} />
              <Assign
                key={`${value.label} ${value.customer_id} ${value.tags.join()}`}
                number={value}
              />
              <SmsUrlCard key={`${value.sms_url} ${value.sms_method}`} number={value} />
              <LastDays number={value.phone_number} />
              <Json value={value} title="Number" />
            </div>
            <Card title="Details">
              <Facts
                facts={[
                  { name: "Number", value: <Phone value={value.phone_number} /> },
                  { name: "Place", value: localityOf(value) },
                  { name: "Type", value: value.type === "local" ? "Local" : "Toll-free" },
                  hasBilling
                    ? { name: "Monthly price", value: <Money usd={value.monthly_price} /> }
                    : null,
                  { name: "Label", value: value.label ?? "–" },
                  { name: "Customer", value: <CustomerLink id={value.customer_id} /> },
                  { name: "Pools", value: <PoolLinks ids={value.pools} /> },
                  { name: "Bought", value: <Time at={value.purchased_at} /> },
                  value.released_at === null
                    ? null
                    : { name: "Released", value: <Time at={value.released_at} /> },
                ]}
              />
            </Card>
          </div>
        )}
      </Loaded>
    </Page>
  );
}

function CustomerLink(props: { id: string | null }) {
  const { base } = useAccount();
  const nameOf = useCustomerNames();
  if (props.id === null) return "–";
  return (
    <Link to={`${base}/customers/${props.id}`} search={{}}>
      {nameOf(props.id)}
    </Link>
  );
}

function PoolLinks(props: { ids: readonly string[] }) {
  const { base } = useAccount();
  const pools = usePoolChoices(props.ids.length > 0);
  if (props.ids.length === 0) return "–";
  return props.ids.map((id) => (
    <div key={id}>
      <Link to={`${base}/pools/${id}`} search={{}}>
        {pools.find(({ value }) => value === id)?.label ?? "Pool"}
      </Link>
    </div>
  ));
}

function LastDays(props: { number: string }) {
  const traffic = useTraffic("numbers", props.number);
  return (
    <Loaded query={traffic}>
      {(counted) => (
        <>
          <Card title="Texts from it, last 30 days">
            <DeliveryChart counted={counted} />
          </Card>
          <DeliveryFigures totals={counted.totals} />
        </>
      )}
    </Loaded>
  );
}

function Actions(props: { number: PhoneNumber }) {
  const { base } = useAccount();
  const { number } = props;
  const maySend = useHasRole("member");
  const mayRelease = useHasRole("admin");
  const [isAsking, setIsAsking] = useState(false);
  const navigate = useNavigate();
  const release = useAct((_: undefined, { api }) => api.numbers.delete(number.phone_number), {
    stale: ["numbers", "number", "pools", "home"],
    onDone: () => {
      toast(`${formatPhone(number.phone_number)} is released.`);
      void navigate({ to: `${base}/numbers`, search: {} } as never);
    },
  });
  if (number.status === "released") return null;
  return (
    <>
      {maySend && (
        <ButtonLink to={`${base}/messages/new`} search={{ from: number.phone_number }} icon="send">
          Send from it
        </ButtonLink>
      )}
      {mayRelease && (
        <Button kind="danger" onClick={() => setIsAsking(true)}>
          Release
        </Button>
      )}
      <Confirm
        title={`Release ${formatPhone(number.phone_number)}?`}
        isOpen={isAsking}
        onClose={() => setIsAsking(false)}
        onConfirm={() => release.mutate(undefined)}
        action="Release the number"
        busy={release.isPending}
        error={release.error}
        typed={number.mode === "live" ? number.phone_number : (undefined as never)}
      >
        Texts to it are no longer received and it leaves its pools. Its history stays readable. A
        live number may go to someone else after 30 days.
      </Confirm>
    </>
  );
}

function Assign(props: { number: PhoneNumber }) {
  const { number } = props;
  const mayEdit = useHasRole("member");
  const [label, setLabel] = useState(number.label ?? "");
  const [tags, setTags] = useState(number.tags.join(", "));
  const [customer, setCustomer] = useState(number.customer_id ?? "");
  const customers = useCustomerChoices();
  const save = useAct(
    (_: undefined, { api }) =>
      api.numbers.update(number.phone_number, {
        customer_id: customer || null,
        label: label.trim() || null,
        tags: tags
          .split(",")
          .map((tag) => tag.trim())
          .filter(Boolean),
      }),
    { stale: ["numbers", "number"], onDone: () => toast("Saved.") },
  );
  if (!mayEdit || number.status === "released") return null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate(undefined);
  };
  return (
    <Card title="Label and assignment">
      <form className="stack" onSubmit={submit}>
        <TextField
          label="Label"
          optional
          value={label}
          error={errorAt(save.error, "label")}
          onChange={(event) => setLabel(event.target.value)}
        />
        <TextField
          label="Tags"
          optional
          help="Separated by commas."
          value={tags}
          error={errorAt(save.error, "tags")}
          onChange={(event) => setTags(event.target.value)}
        />
        <SelectField
          label="Customer"
          optional
          blank="Not assigned"
          value={customer}
          choices={customers}
          error={errorAt(save.error, "customer_id")}
          onChange={(event) => setCustomer(event.target.value)}
        />
        {errorBeside(save.error, ["label", "tags", "customer_id"]) !== null && (
          <ErrorBox error={save.error} />
        )}
        <div className="row">
          <Button type="submit" busy={save.isPending}>
            Save
          </Button>
        </div>
      </form>
    </Card>
  );
}
