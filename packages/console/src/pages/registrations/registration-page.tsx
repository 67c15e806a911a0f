import type { Registration } from "@longwave/sdk";
import { useParams } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { useAccount, useHasRole } from "../../api/account.tsx";
import { useAct, useRead } from "../../api/queries.ts";
import { useHasBilling } from "../../api/session.ts";
import { Loaded } from "../../lists/loaded.tsx";
import { readStored, writeStored } from "../../storage.ts";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { formatUsd } from "../../ui/format.ts";
import { Card, Facts, Page } from "../../ui/page.tsx";
import { guidanceWords } from "../../ui/plain-words.ts";
import { ErrorBox, Note } from "../../ui/problem.tsx";
import { StateStepper } from "../../ui/state-stepper.tsx";
import { Tabs, useTab } from "../../ui/tabs.tsx";
import { toast } from "../../ui/toast.tsx";
import { Time } from "../../ui/values.tsx";
import { CopyList } from "./copy-list.tsx";
import { FindingList } from "./finding-list.tsx";
import { diffOf, type Finding, findingsOf } from "./findings.ts";
import { formOf, recheckBody } from "./form.ts";
import {
  BrandFields,
  BusinessFields,
  PageFields,
  RegistryIdFields,
  SampleFields,
  TollFreeFields,
} from "./form-fields.tsx";
import { RegistrationHistory } from "./history.tsx";
import { NetworkLimitsCard } from "./network-limits.tsx";
import { USUAL_STATUSES } from "./statuses.ts";
import { actorWords, wordsOfUseCase } from "./words.ts";

export function RegistrationPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const { base } = useAccount();
  const registration = useRead(["registrations", id], (api, signal) =>
    api.registrations.get(id, { signal }),
  );
  return (
    <Page
      title={registration.data?.business_name ?? "Registration"}
      crumb={{ to: `${base}/registrations`, label: "Registrations" }}
      about={registration.data && wordsOfUseCase(registration.data.use_case)}
      actions={registration.data && <Actions registration={registration.data} />}
    >
      <Loaded query={registration}>{(value) => <Body registration={value} />}</Loaded>
    </Page>
  );
}

const mayRecheck = (status: string) =>
  ["draft", "checks_failed", "ready", "rejected", "expired"].includes(status);

function Body(props: { registration: Registration }) {
  const { registration } = props;
  const findings = findingsOf(registration);
  const complaints = findings.filter((each) => each.level !== "pass").length;
  const found = { id: "findings", label: `Findings (${complaints})` };
  const details = { id: "form", label: "Details" };
  const tabs = [
    // Findings come first while somebody can still act on them.
    ...(mayRecheck(registration.status) ? [found, details] : [details, found]),
    { id: "copy", label: "Ready-made text" },
    { id: "history", label: "History" },
  ];
  const tab = useTab(tabs);
  return (
    <div className="stack-wide">
      <ReviewState registration={registration} />
      {registration.limits.length > 0 && <NetworkLimitsCard limits={registration.limits} />}
      <Tabs label="Parts of the registration" tabs={tabs} chosen={tab} />
      {tab === "findings" && <Findings registration={registration} findings={findings} />}
      {tab === "form" && <Correct key={registration.updated_at} registration={registration} />}
      {tab === "copy" && <CopyList generated={registration.generated} />}
      {tab === "history" && <RegistrationHistory history={registration.history} />}
    </div>
  );
}

function ReviewState(props: { registration: Registration }) {
  const { guidance, rejection, status } = props.registration;
  return (
    <Card>
      <div className="stack">
        <div className="row-apart">
          <StateStepper machine="registration" state={status} way={USUAL_STATUSES} />
          <span className="chip">Waiting on: {actorWords(guidance.next_actor)}</span>
        </div>
        <p>
          <b>{guidance.what_happened}</b> {guidanceWords(guidance.why)}
        </p>
        <p className="muted">
          {guidanceWords(guidance.next_step)} {guidance.after}
        </p>
        {rejection !== null && (
          <Note tone="red">
            <b>{rejection.title}.</b> {rejection.explanation} {guidanceWords(rejection.fix)}
            {rejection.note !== null && <p>The reviewer adds: {rejection.note}</p>}
          </Note>
        )}
      </div>
    </Card>
  );
}

const storedName = (id: string) => `checked.${id}`;

/** Findings before the last recheck in this tab. */
function findingsBefore(id: string): Finding[] | null {
  const text = readStored(sessionStorage, storedName(id));
  try {
    return text === null ? null : (JSON.parse(text) as Finding[]);
  } catch {
    return null;
  }
}

function Findings(props: { registration: Registration; findings: readonly Finding[] }) {
  const { registration, findings } = props;
  const { check, sample_check: samples } = registration;
  const before = findingsBefore(registration.id);
  const diff = before === null ? null : diffOf(before, findings);
  if (check === null) {
    return (
      <Note tone="grey">
        Not checked yet. The check reads the website and the examples as a reviewer would.
      </Note>
    );
  }
  return (
    <div className="stack-wide">
      <div className="row-apart">
        <p>
          <b className="tabular">{check.failed + samples.failed}</b> fail,{" "}
          <b className="tabular">{check.warnings + samples.warnings}</b> warn,{" "}
          <b className="tabular">{check.passed + samples.passed}</b> pass
          {diff && (
            <span className="muted">
              {" "}
              ({diff.fixed.length} fixed, {diff.fresh.length} new since the check before)
            </span>
          )}
        </p>
        <span className="meta">
          Website read <Time at={check.checked_at} />
        </span>
      </div>
      {diff !== null && diff.fixed.length > 0 && (
        <Note tone="green">Fixed: {diff.fixed.map((each) => each.title).join(", ")}.</Note>
      )}
      <FindingList
        findings={findings}
        {...(diff ? { fresh: new Set(diff.fresh.map((each) => each.code)) } : {})}
      />
      <PagesRead registration={registration} />
    </div>
  );
}

const FOUND_BY = {
  given: "given",
  link: "found by a link",
  guess: "found at its usual place",
  none: "not found",
} as const;

function PagesRead(props: { registration: Registration }) {
  const { check } = props.registration;
  if (!check) return null;
  const pages = [
    ["Website", check.urls.website],
    ["Privacy policy", check.urls.privacy],
    ["Terms", check.urls.terms],
    ["Opt-in page", check.urls.opt_in],
  ] as const;
  return (
    <Card title="Pages that were read">
      <Facts
        facts={pages.map(([name, page]) => ({
          name,
          value: (
            <span className="wrap-anywhere">
              {page.final_url ?? page.url ?? "–"}{" "}
              <span className="muted">
                {FOUND_BY[page.found_by]}
                {page.status !== null && `, answered ${page.status}`}
              </span>
            </span>
          ),
        }))}
      />
    </Card>
  );
}

/**
 * Rechecks the registration, with or without corrections, and stores the former findings to
 * compare.
 */
function useRecheck(registration: Registration) {
  return useAct(
    (body: ReturnType<typeof recheckBody>, { api, idempotencyKey }) =>
      api.registrations.recheck(registration.id, body, { idempotencyKey }),
    {
      stale: ["registrations"],
      onDone: () => {
        writeStored(
          sessionStorage,
          storedName(registration.id),
          JSON.stringify(findingsOf(registration)),
        );
        toast("Checked again.");
      },
    },
  );
}

function Correct(props: { registration: Registration }) {
  const { registration } = props;
  const mayEdit = useHasRole("member") && mayRecheck(registration.status);
  const [form, setForm] = useState(() => formOf(registration));
  const recheck = useRecheck(registration);
  const fields = {
    form,
    set: (change: Partial<typeof form>) => setForm((before) => ({ ...before, ...change })),
    error: recheck.error,
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    recheck.mutate(recheckBody(form, registration));
  };
  return (
    <form className="stack-wide" onSubmit={submit}>
      <fieldset disabled={!mayEdit} className="bare halves">
        <Card title="Business">
          <div className="stack">
            <BusinessFields {...fields} />
          </div>
        </Card>
        <Card title="Pages">
          <div className="stack">
            <PageFields {...fields} />
          </div>
        </Card>
        <Card
          title="Examples"
          aside={
            registration.samples_source === "starter" && (
              <span className="chip">ours: make them your own</span>
            )
          }
        >
          <div className="stack">
            <SampleFields {...fields} />
          </div>
        </Card>
        <Card title="Organization">
          <div className="stack">
            <BrandFields {...fields} />
            <TollFreeFields {...fields} />
            <RegistryIdFields {...fields} />
          </div>
        </Card>
      </fieldset>
      {recheck.error ? <ErrorBox error={recheck.error} /> : null}
      {mayEdit && (
        <div className="row">
          <Button type="submit" kind="primary" busy={recheck.isPending}>
            Save and check again
          </Button>
          <span className="meta">When only examples change, the website is not read again.</span>
        </div>
      )}
    </form>
  );
}

/** The submit button's words, with the price that the account would pay. */
function useSubmitWords(registration: Registration): string {
  const { mode } = useAccount();
  const hasBilling = useHasBilling();
  const account = useRead(["account"], (api, signal) => api.account.get({ signal }), {
    enabled: hasBilling && mode === "live",
  });
  if (!hasBilling) return "Submit";
  if (mode === "test" || registration.campaign_id !== null) return "Submit · free";
  const price = account.data?.billing.registration_usd[registration.kind];
  if (price === undefined) return "Submit";
  return `Submit · ${price === 0 ? "free" : formatUsd(price)}`;
}

function Actions(props: { registration: Registration }) {
  const { registration } = props;
  const mayCheck = useHasRole("member") && mayRecheck(registration.status);
  // The carriers approved its campaign already: no check, nothing to file or pay.
  const isClaim = registration.campaign_id !== null;
  const isSubmittable =
    registration.status === "ready" || (isClaim && mayRecheck(registration.status));
  const maySubmit =
    useHasRole("admin") && isSubmittable && !["rejected", "expired"].includes(registration.status);
  const [isAsking, setIsAsking] = useState(false);
  const recheck = useRecheck(registration);
  const submit = useAct(
    (_: undefined, { api, idempotencyKey }) =>
      api.registrations.submit(registration.id, { idempotencyKey }),
    {
      stale: ["registrations", "number", "numbers"],
      onDone: () => {
        setIsAsking(false);
        toast("Submitted for review.");
      },
    },
  );
  const action = useSubmitWords(registration);
  return (
    <>
      {mayCheck && (
        <Button icon="retry" busy={recheck.isPending} onClick={() => recheck.mutate({})}>
          Check again
        </Button>
      )}
      {maySubmit && (
        <Button kind="primary" icon="send" onClick={() => setIsAsking(true)}>
          {action}
        </Button>
      )}
      {recheck.error ? <ErrorBox error={recheck.error} /> : null}
      <Confirm
        title={`Submit ${registration.business_name}?`}
        isOpen={isAsking}
        onClose={() => setIsAsking(false)}
        onConfirm={() => submit.mutate(undefined)}
        action={action}
        busy={submit.isPending}
        error={submit.error}
      >
        The operator reviews it next. While it is under review it cannot be changed.
      </Confirm>
    </>
  );
}
