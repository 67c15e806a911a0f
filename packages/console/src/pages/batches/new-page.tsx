import { useAccount } from "../../api/account.tsx";
import { useDraft } from "../../drafts.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icons.tsx";
import { Page } from "../../ui/page.tsx";
import { useFilters } from "../../ui/search-params.ts";
import { type BatchDraft, EMPTY_DRAFT, type StepProps } from "./draft.ts";
import { CheckStep } from "./step-check.tsx";
import { ColumnsStep } from "./step-columns.tsx";
import { MessageStep } from "./step-message.tsx";
import { PeopleStep } from "./step-people.tsx";

const STEPS = ["People", "Columns", "Message", "Check and send"] as const;

/** From a file to a sent batch. Every step is kept: a reload or a sign-in goes on where it was. */
export function NewBatchPage() {
  const { base, mode } = useAccount();
  const draft = useDraft(`batch.${mode}`, EMPTY_DRAFT);
  const [search, setSearch] = useFilters();
  const reachable = reachableStep(draft.value);
  const step = Math.min(Number(search["step"] ?? "1"), reachable);
  const go = (to: number) => setSearch({ step: String(to) });
  const props: StepProps = {
    draft: draft.value,
    idempotencyKey: draft.idempotencyKey,
    set: draft.set,
    clear: draft.clear,
    next: () => go(step + 1),
  };
  return (
    <Page
      title="New batch"
      crumb={{ to: `${base}/batches`, label: "Batches" }}
      actions={
        draft.value.table && (
          <Button
            onClick={() => {
              draft.clear();
              go(1);
            }}
          >
            Start over
          </Button>
        )
      }
    >
      <div className="stack-wide">
        <Steps step={step} reachable={reachable} onGo={go} />
        {step === 1 && <PeopleStep {...props} />}
        {step === 2 && <ColumnsStep {...props} />}
        {step === 3 && <MessageStep {...props} />}
        {step === 4 && <CheckStep {...props} />}
      </div>
    </Page>
  );
}

/** How far one can go with what is filled in. */
function reachableStep(draft: BatchDraft): number {
  if (!draft.table) return 1;
  return draft.from !== "" && draft.body.trim() !== "" ? 4 : 3;
}

function Steps(props: { step: number; reachable: number; onGo: (step: number) => void }) {
  return (
    <ol className="steps">
      {STEPS.map((name, index) => {
        const number = index + 1;
        const state = number === props.step ? "now" : number < props.step ? "done" : "later";
        return (
          <li
            key={name}
            className="step"
            data-state={state}
            aria-current={state === "now" ? "step" : undefined}
          >
            <i>{state === "done" ? <Icon name="check" size={12} /> : number}</i>
            {state === "done" && number <= props.reachable ? (
              <button
                type="button"
                className="copy"
                style={{ cursor: "pointer" }}
                onClick={() => props.onGo(number)}
              >
                {name}
              </button>
            ) : (
              name
            )}
          </li>
        );
      })}
    </ol>
  );
}
