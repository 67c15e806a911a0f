import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { useAccount } from "../../api/account.tsx";
import { useAct } from "../../api/queries.ts";
import { useDraft } from "../../draft.ts";
import { Button } from "../../ui/button.tsx";
import { errorAt, errorBeside, TextField } from "../../ui/field.tsx";
import { Card, Page } from "../../ui/page.tsx";
import { ErrorBox, Note } from "../../ui/problem.tsx";
import { Steps } from "../../ui/steps.tsx";
import { createBody, EMPTY_REGISTRATION, prefilled } from "./form.ts";
import {
  BrandFields,
  BusinessFields,
  KindField,
  PageFields,
  RegistryIdFields,
  SampleFields,
  TollFreeFields,
} from "./form-fields.tsx";

const STEPS = ["Website", "Business", "Pages", "Examples", "Organization"] as const;
const LAST = STEPS.length;

/** Wizard for a registration. Reading the website fills fields first. */
export function NewRegistrationPage() {
  const { base } = useAccount();
  const navigate = useNavigate();
  const form = useDraft("registration", EMPTY_REGISTRATION);
  const [step, setStep] = useState(1);
  const [isRead, setIsRead] = useState(false);
  const prefill = useAct(
    (website: string, { api, idempotencyKey }) =>
      api.registrations.prefill({ website }, { idempotencyKey }),
    {
      onDone: (answer) => {
        form.set(prefilled(form.value, answer));
        setIsRead(true);
        setStep(2);
      },
    },
  );
  const create = useAct(
    (isDraft: boolean, { api }) =>
      api.registrations.create(createBody(form.value, isDraft), {
        idempotencyKey: `${form.idempotencyKey}-${isDraft}`,
      }),
    {
      stale: ["registrations"],
      onDone: (made) => {
        form.clear();
        void navigate({ to: `${base}/registrations/${made.id}`, search: {} } as never);
      },
    },
  );
  const next = (event: FormEvent) => {
    event.preventDefault();
    if (step === 1) prefill.mutate(form.value.website.trim());
    else if (step < LAST) setStep(step + 1);
    else create.mutate(false);
  };
  const fields = { form: form.value, set: form.set, error: create.error };
  const reachable = form.value.website === "" ? 1 : LAST;
  return (
    <Page
      title="New registration"
      crumb={{ to: `${base}/registrations`, label: "Registrations" }}
      narrow
      actions={
        step > 1 && (
          <Button busy={create.isPending} onClick={() => create.mutate(true)}>
            Save as a draft
          </Button>
        )
      }
    >
      <form className="stack-wide" onSubmit={next}>
        <Steps names={STEPS} step={step} reachable={reachable} onGo={setStep} />
        <Card title={STEPS[step - 1]}>
          <div className="stack">
            {isRead && step === 2 && (
              <Note tone="green">
                The website was read. What it says is filled in; correct what is wrong.
              </Note>
            )}
            {step === 1 && (
              <WebsiteField
                value={form.value.website}
                error={prefill.error ?? create.error}
                onChange={(website) => form.set({ website })}
              />
            )}
            <StepFields step={step} {...fields} />
            {step > 1 && create.error ? <ErrorBox error={create.error} /> : null}
            <div className="row">
              <Button type="submit" kind="primary" busy={prefill.isPending || create.isPending}>
                {step === 1 ? "Read my website" : step < LAST ? "Next" : "Review"}
              </Button>
              {step === 1 && (
                <Button
                  kind="ghost"
                  disabled={form.value.website.trim() === ""}
                  onClick={() => setStep(2)}
                >
                  Fill it in myself
                </Button>
              )}
            </div>
            {step === LAST && (
              <p className="meta">
                The check reads the pages and takes up to ten seconds. Nothing is submitted yet.
              </p>
            )}
          </div>
        </Card>
      </form>
    </Page>
  );
}

type FieldsProps = Parameters<typeof BusinessFields>[0];

function StepFields({ step, ...fields }: FieldsProps & { step: number }) {
  if (step === 2) {
    return (
      <>
        <KindField {...fields} />
        <BusinessFields {...fields} />
      </>
    );
  }
  if (step === 3) return <PageFields {...fields} />;
  if (step === 4) return <SampleFields {...fields} />;
  if (step !== 5) return null;
  return (
    <>
      <BrandFields {...fields} />
      <TollFreeFields {...fields} />
      <RegistryIdFields {...fields} />
    </>
  );
}

function WebsiteField(props: {
  value: string;
  error: unknown;
  onChange: (website: string) => void;
}) {
  return (
    <>
      <TextField
        label="Website"
        type="url"
        required
        placeholder="https://hillside.example.com"
        help="The homepage. Its privacy policy, terms and opt-in page are found by its links."
        value={props.value}
        error={errorAt(props.error, "website")}
        onChange={(event) => props.onChange(event.target.value)}
      />
      {errorBeside(props.error, ["website"]) !== null && <ErrorBox error={props.error} />}
    </>
  );
}
