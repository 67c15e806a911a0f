import {
  REGISTRATION_CODE_NAMES,
  type RegistrationCode,
  registrationCodeSpec,
} from "@longwave/contract/tables";
import type { Longwave, OperatorRegistration } from "@longwave/sdk";
import { useNavigate, useParams } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { useAct, useRead } from "../../api/queries.ts";
import { Loaded } from "../../lists/loaded.tsx";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { AreaField, errorAt, errorBeside, SelectField } from "../../ui/field.tsx";
import { Card, Facts, Page } from "../../ui/page.tsx";
import { ErrorBox } from "../../ui/problem.tsx";
import { StateStepper } from "../../ui/state-stepper.tsx";
import { Tabs, useTab } from "../../ui/tabs.tsx";
import { toast } from "../../ui/toast.tsx";
import { FindingList } from "../registrations/finding-list.tsx";
import { findingsOf } from "../registrations/findings.ts";
import { RegistrationHistory } from "../registrations/history.tsx";
import { NetworkLimitsCard } from "../registrations/network-limits.tsx";
import { USUAL_STATUSES } from "../registrations/statuses.ts";
import { wordsOfKind, wordsOfUseCase } from "../registrations/words.ts";
import { AccountLink } from "./account-name.tsx";
import { ApproveAnyway, mayApproveAnyway } from "./approve-anyway.tsx";
import { ChangeNetworkLimits } from "./change-network-limits.tsx";
import { TollFreeCard } from "./toll-free-card.tsx";

const TABS = [
  { id: "findings", label: "Findings" },
  { id: "filed", label: "Submission" },
  { id: "history", label: "History" },
];

/** Review of one registration: findings and pages read on the left, the decision on the right. */
export function ReviewPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const registration = useRead(["op-reviews", id], (api, signal) =>
    api.operator.registrations.get(id, { signal }),
  );
  return (
    <Page
      title={registration.data?.business_name ?? "Review"}
      crumb={{ to: "/op/reviews", label: "Reviews" }}
      about={registration.data && wordsOfUseCase(registration.data.use_case)}
    >
      <Loaded query={registration}>{(value) => <Body registration={value} />}</Loaded>
    </Page>
  );
}

function Body(props: { registration: OperatorRegistration }) {
  const { registration } = props;
  const tab = useTab(TABS);
  return (
    <div className="stack-wide">
      <Card>
        <div className="row-apart">
          <StateStepper machine="registration" state={registration.status} way={USUAL_STATUSES} />
          <AccountLink id={registration.account_id} />
        </div>
      </Card>
      <div className="columns">
        <div className="stack">
          <Tabs label="Parts of the registration" tabs={TABS} chosen={tab} />
          {tab === "findings" && <FindingList findings={findingsOf(registration)} />}
          {tab === "filed" && <Filed registration={registration} />}
          {tab === "history" && <RegistrationHistory history={registration.history} />}
        </div>
        <div className="stack">
          <Decide key={registration.status} registration={registration} />
          <NetworkLimitsCard
            limits={registration.limits}
            change={<ChangeNetworkLimits registration={registration} />}
          />
        </div>
      </div>
    </div>
  );
}

function Filed(props: { registration: OperatorRegistration }) {
  const { registration } = props;
  const { campaign } = registration.generated;
  const brand = Object.entries(registration.brand).filter(([, value]) => value);
  return (
    <div className="stack-wide">
      <Card title="Campaign">
        <Facts
          facts={[
            {
              name: "Website",
              value: <span className="wrap-anywhere">{registration.website}</span>,
            },
            { name: "Kind", value: wordsOfKind(registration.kind) },
            { name: "Description", value: campaign.description },
            { name: "How people opt in", value: campaign.message_flow },
            { name: "Privacy policy", value: campaign.privacy_policy_url ?? "–" },
            { name: "Terms", value: campaign.terms_url ?? "–" },
            { name: "Links in texts", value: campaign.embedded_link ? "Yes" : "No" },
            { name: "Approved elsewhere as", value: registration.campaign_id ?? "–" },
            { name: "Registered brand", value: registration.brand_id ?? "–" },
            { name: "Reseller", value: registration.reseller_id ?? "–" },
          ]}
        />
      </Card>
      <TollFreeCard given={registration.toll_free} />
      <Card title="Examples">
        <ol className="stack">
          {registration.sample_messages.map((sample) => (
            <li key={sample} className="copy-text">
              {sample}
            </li>
          ))}
        </ol>
      </Card>
      {brand.length > 0 && (
        <Card title="Organization">
          <Facts
            facts={brand.map(([name, value]) => ({
              name: name.replaceAll("_", " "),
              value: String(value),
            }))}
          />
        </Card>
      )}
    </div>
  );
}

const CODE_CHOICES = REGISTRATION_CODE_NAMES.map((value) => ({
  value,
  label: registrationCodeSpec(value).title,
}));

type Decision = Parameters<Longwave["operator"]["registrations"]["review"]>[1]["decision"];

/** Decisions beside a rejection, by the registration's status. Without an entry there is nothing to decide. */
const CHOICES: Readonly<Record<string, readonly Decision[]>> = {
  submitted: ["approve", "in_review"],
  in_review: ["approve"],
  approved: ["suspend", "expire"],
  suspended: ["reinstate", "expire"],
  expired: ["reinstate"],
};
const APPROVED_ONCE = ["approved", "suspended", "expired"];
const VERBS: Readonly<Record<Decision, string>> = {
  in_review: "Take into review",
  approve: "Approve",
  reject: "Reject",
  suspend: "Suspend",
  expire: "Mark as expired",
  reinstate: "Reinstate",
};

function Decide(props: { registration: OperatorRegistration }) {
  const { registration } = props;
  const navigate = useNavigate();
  const [code, setCode] = useState<RegistrationCode>("carrier.rejected");
  const [note, setNote] = useState("");
  const [asked, setAsked] = useState<Decision | null>(null);
  const isApproved = APPROVED_ONCE.includes(registration.status);
  const decide = useAct(
    (decision: Decision, { api, idempotencyKey }) =>
      api.operator.registrations.review(
        registration.id,
        {
          decision,
          ...(decision === "reject" ? { code } : {}),
          ...(note.trim() === "" ? {} : { note: note.trim() }),
        },
        { idempotencyKey },
      ),
    {
      stale: ["op-reviews"],
      onDone: (after) => {
        setAsked(null);
        toast(`${after.business_name} is ${after.status.replaceAll("_", " ")}.`);
        if (after.status !== "in_review") void navigate({ to: "/op/reviews", search: {} } as never);
      },
    },
  );
  if (CHOICES[registration.status] === undefined) {
    return mayApproveAnyway(registration) ? (
      <ApproveAnyway registration={registration} />
    ) : (
      <Card title="Decision">
        <p className="muted">There is nothing to decide: it waits for the customer.</p>
      </Card>
    );
  }
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setAsked("reject");
  };
  const spec = registrationCodeSpec(code);
  return (
    <Card title="Decision">
      <form className="stack" onSubmit={submit}>
        <div className="row">
          {CHOICES[registration.status]?.map((decision, index) => (
            <Button
              key={decision}
              kind={index === 0 && !isApproved ? "primary" : "secondary"}
              busy={decide.isPending}
              onClick={() =>
                decision === "in_review" ? decide.mutate(decision) : setAsked(decision)
              }
            >
              {VERBS[decision]}
            </Button>
          ))}
        </div>
        <SelectField
          label={isApproved ? "Why it is revoked" : "Why it is rejected"}
          value={code}
          choices={CODE_CHOICES}
          help={spec.explanation}
          error={errorAt(decide.error, "code")}
          onChange={(event) => setCode(event.target.value as RegistrationCode)}
        />
        <AreaField
          label="Note for the customer"
          optional
          rows={3}
          value={note}
          error={errorAt(decide.error, "note")}
          onChange={(event) => setNote(event.target.value)}
        />
        {errorBeside(decide.error, ["code", "note"]) !== null && <ErrorBox error={decide.error} />}
        <div className="row">
          <Button type="submit" kind="danger" busy={decide.isPending}>
            {isApproved ? "Revoke the approval" : "Reject"}
          </Button>
        </div>
      </form>
      {asked !== null && (
        <ConfirmDecision
          registration={registration}
          decision={asked}
          consequence={CONSEQUENCES[asked] ?? `The customer reads: ${spec.title}.`}
          busy={decide.isPending}
          error={decide.error}
          onClose={() => setAsked(null)}
          onConfirm={() => decide.mutate(asked)}
        />
      )}
    </Card>
  );
}

const SENDS = "Its numbers can send to the public at once.";
const STOPS = "Its numbers stop sending to the public until you reinstate it.";
const CONSEQUENCES: Readonly<Partial<Record<Decision, string>>> = {
  approve: SENDS,
  reinstate: SENDS,
  suspend: STOPS,
  expire: STOPS,
};

function ConfirmDecision(props: {
  registration: OperatorRegistration;
  decision: Decision;
  consequence: string;
  busy: boolean;
  error: unknown;
  onClose: () => void;
  onConfirm: () => void;
}) {
  const { registration, decision } = props;
  const isRevocation = decision === "reject" && APPROVED_ONCE.includes(registration.status);
  const verb = isRevocation ? "Revoke" : VERBS[decision];
  return (
    <Confirm
      title={`${verb} ${registration.business_name}?`}
      isOpen
      onClose={props.onClose}
      onConfirm={props.onConfirm}
      action={verb}
      isSafe={CONSEQUENCES[decision] === SENDS}
      busy={props.busy}
      error={props.error}
    >
      {props.consequence}
    </Confirm>
  );
}
