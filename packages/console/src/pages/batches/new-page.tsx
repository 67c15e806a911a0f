import { useAccount } from "../../api/account.tsx";
import { useDraft } from "../../draft.ts";
import { Button } from "../../ui/button.tsx";
import { Page } from "../../ui/page.tsx";
import { useFilters } from "../../ui/search-params.ts";
import { Steps } from "../../ui/steps.tsx";
import { type BatchForm, EMPTY_FORM, hasAudience, type StepProps } from "./form.ts";
import { CheckStep } from "./step-check.tsx";
import { ColumnsStep } from "./step-columns.tsx";
import { MessageStep } from "./step-message.tsx";
import { PeopleStep } from "./step-people.tsx";

const STEPS = ["People", "Columns", "Message", "Check and send"] as const;

/**
 * Wizard from a file to a sent batch. The draft is stored: a reload or a sign-in resumes at the
 * same step.
 */
export function NewBatchPage() {
  const { base, mode } = useAccount();
  const form = useDraft(`batch.${mode}`, EMPTY_FORM);
  const [search, setSearch] = useFilters();
  const reachable = reachableStep(form.value);
  const step = Math.min(Number(search["step"] ?? "1"), reachable);
  const go = (to: number) => setSearch({ step: String(to) });
  const props: StepProps = {
    form: form.value,
    idempotencyKey: form.idempotencyKey,
    set: form.set,
    clear: form.clear,
    // Contacts have no columns to choose.
    next: () => go(step === 1 && form.value.audience !== "file" ? 3 : step + 1),
  };
  return (
    <Page
      title="New batch"
      crumb={{ to: `${base}/batches`, label: "Batches" }}
      actions={
        hasAudience(form.value) && (
          <Button
            onClick={() => {
              form.clear();
              go(1);
            }}
          >
            Start over
          </Button>
        )
      }
    >
      <div className="stack-wide">
        <Steps names={STEPS} step={step} reachable={reachable} onGo={go} />
        {step === 1 && <PeopleStep {...props} />}
        {step === 2 &&
          (form.value.audience === "file" ? <ColumnsStep {...props} /> : <PeopleStep {...props} />)}
        {step === 3 && <MessageStep {...props} />}
        {step === 4 && <CheckStep {...props} />}
      </div>
    </Page>
  );
}

/** The last step that the draft allows. */
function reachableStep(form: BatchForm): number {
  if (!hasAudience(form)) return 1;
  return form.from !== "" && form.body.trim() !== "" ? 4 : 3;
}
