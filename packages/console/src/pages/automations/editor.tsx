import {
  AUTOMATION_STEPS_MAX,
  type AutomationReentry,
  parseFilter,
} from "@longwave/contract/tables";
import { ApiError, type Automation, type AutomationRun } from "@longwave/sdk";
import { type FormEvent, useMemo, useState } from "react";
import { useAct } from "../../api/queries.ts";
import { useDraft } from "../../draft.ts";
import { Button } from "../../ui/button.tsx";
import { errorAt, SelectField, TextField } from "../../ui/field.tsx";
import { Card } from "../../ui/page.tsx";
import { ErrorBox, messageOf } from "../../ui/problem.tsx";
import { FilterEditor, type FilterFault } from "../segments/filter-editor.tsx";
import {
  conditionsIn,
  emptyGroup,
  type FilterGroup,
  filterOf,
  nodeAt,
  treeOf,
} from "../segments/filter-tree.ts";
import { Diagram, type InsertPosition } from "./diagram.tsx";
import { countRuns } from "./run-counts.ts";
import { StepForm } from "./step-form.tsx";
import {
  countSteps,
  newStep,
  nodesOf,
  pathsOf,
  type StepNode,
  stepAt,
  stepsOf,
  withInserted,
  withMoved,
  withStep,
} from "./steps.ts";
import { STEP_WORDS } from "./words.ts";

const REENTRIES: readonly { value: AutomationReentry; label: string }[] = [
  { value: "one_at_a_time", label: "One run at a time" },
  { value: "any", label: "A run for every event" },
  { value: "once", label: "Only once, ever" },
];

interface AutomationForm {
  readonly name: string;
  readonly event: string;
  readonly filter: FilterGroup;
  readonly reentry: AutomationReentry;
  readonly nodes: readonly StepNode[];
}

function formOf(automation: Automation | null): AutomationForm {
  const filter = automation?.trigger.filter;
  return {
    name: automation?.name ?? "",
    event: automation?.trigger.event ?? "",
    filter: filter ? treeOf(filter) : emptyGroup(),
    reentry: automation?.reentry ?? "one_at_a_time",
    nodes: automation ? nodesOf(automation.steps) : [newStep("send")],
  };
}

/** Diagram of an automation, with a form for the selected step beside it. */
export function AutomationEditor(props: {
  automation: Automation | null;
  runs: readonly AutomationRun[];
  mayEdit: boolean;
  onSaved: (automation: Automation) => void;
}) {
  const { automation, mayEdit } = props;
  const [initial] = useState(() => formOf(automation));
  const form = useDraft(
    `automation.${automation ? `${automation.id}.${automation.version}` : "new"}`,
    initial,
  );
  const { nodes } = form.value;
  const [chosen, setChosen] = useState<number | null>(null);
  const save = useSave(props, form);
  const setNodes = (next: readonly StepNode[]) => form.set({ nodes: next });
  const fault = faultOf(nodes, save.error);
  const counts = useMemo(
    () => countRuns(props.runs, automation?.version ?? 0),
    [props.runs, automation],
  );
  const edit = mayEdit ? editsOf(nodes, setNodes, setChosen) : null;
  const step = [...pathsOf(nodes).values()].find((each) => each.id === chosen) ?? null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate("active");
  };
  return (
    <form className="columns" onSubmit={submit}>
      <Card title={mayEdit ? "Steps" : "Steps, as they run"}>
        <Diagram
          trigger={form.value.event}
          nodes={nodes}
          counts={counts}
          chosen={chosen}
          faultId={fault?.step.id ?? null}
          isFull={countSteps(nodes) >= AUTOMATION_STEPS_MAX}
          edit={edit}
          onChooseTrigger={mayEdit ? () => setChosen(null) : null}
        />
      </Card>
      <div className="stack-wide flow-side">
        <Card title={step ? STEP_WORDS[step.type].word : "When it starts"}>
          {step ? (
            <StepForm
              key={step.id}
              step={step}
              set={(change) => setNodes(withStep(nodes, step.id, (it) => [{ ...it, ...change }]))}
              problem={fault?.step.id === step.id && !fault.isFilter ? fault.message : null}
              filterFault={filterFaultOf(step.filter, step.type === "if" ? fault : null)}
            />
          ) : (
            <TriggerFields form={form.value} set={form.set} error={save.error} mayEdit={mayEdit} />
          )}
        </Card>
        {mayEdit && (
          <SaveRow
            isNew={automation === null}
            isChanged={JSON.stringify(bodyOf(form.value)) !== JSON.stringify(bodyOf(initial))}
            isBusy={save.isPending}
            error={fault === null ? save.error : null}
            onSavePaused={() => save.mutate("paused")}
            onUndo={() => {
              form.clear();
              setChosen(null);
            }}
          />
        )}
      </div>
    </form>
  );
}

function editsOf(
  nodes: readonly StepNode[],
  setNodes: (nodes: readonly StepNode[]) => void,
  choose: (id: number | null) => void,
) {
  return {
    choose,
    insert(position: InsertPosition, type: StepNode["type"]) {
      const step = newStep(type);
      setNodes(withInserted(nodes, position, step));
      choose(step.id);
    },
    move: (id: number, by: -1 | 1) => setNodes(withMoved(nodes, id, by)),
    remove(id: number) {
      setNodes(withStep(nodes, id, () => []));
      choose(null);
    },
  };
}

function SaveRow(props: {
  isNew: boolean;
  isChanged: boolean;
  isBusy: boolean;
  error: unknown;
  onUndo: () => void;
  onSavePaused: () => void;
}) {
  const { isNew, isChanged } = props;
  return (
    <div className="stack">
      {props.error ? <ErrorBox error={props.error} /> : null}
      <div className="row">
        <Button type="submit" kind="primary" busy={props.isBusy} disabled={!isNew && !isChanged}>
          {isNew ? "Turn on" : "Save as a new version"}
        </Button>
        {isNew && (
          <Button busy={props.isBusy} onClick={props.onSavePaused}>
            Save paused
          </Button>
        )}
        {!isNew && isChanged && <Button onClick={props.onUndo}>Undo changes</Button>}
      </div>
      {!isNew && <p className="meta">Runs in progress keep the version they began with.</p>}
    </div>
  );
}

/** The automation as the API takes it. */
function bodyOf({ name, event, filter, reentry, nodes }: AutomationForm) {
  const isFiltered = conditionsIn(filter) > 0;
  return {
    name,
    trigger: { event, ...(isFiltered ? { filter: filterOf(filter) } : {}) },
    steps: stepsOf(nodes),
    reentry,
  };
}

function useSave(
  props: { automation: Automation | null; onSaved: (automation: Automation) => void },
  form: ReturnType<typeof useDraft<AutomationForm>>,
) {
  const { automation } = props;
  return useAct(
    (status: Automation["status"], { api }) => {
      const body = bodyOf(form.value);
      return automation
        ? api.automations.update(automation.id, body)
        : api.automations.create({ ...body, status }, { idempotencyKey: form.idempotencyKey });
    },
    {
      stale: ["automations"],
      onDone: (saved) => {
        form.clear();
        props.onSaved(saved);
      },
    },
  );
}

interface StepFault {
  readonly step: StepNode;
  readonly param: string;
  readonly message: string;
  readonly isFilter: boolean;
}

function faultOf(nodes: readonly StepNode[], error: unknown): StepFault | null {
  if (!(error instanceof ApiError) || error.param === null) return null;
  const step = stepAt(nodes, error.param);
  if (!step) return null;
  const isFilter = error.param.includes(".filter");
  return { step, param: error.param, message: messageOf(error), isFilter };
}

/** The invalid row of a filter: found here by the server's rules, or named by the server. */
function filterFaultOf(filter: FilterGroup, serverFault: StepFault | null): FilterFault | null {
  if (conditionsIn(filter) === 0) return null;
  const parsed = parseFilter(filterOf(filter), { properties: true });
  const where = parsed.ok
    ? serverFault?.param.slice(serverFault.param.indexOf("filter"))
    : parsed.param;
  if (where === undefined || !where.startsWith("filter")) return null;
  const id = nodeAt(filter, where);
  const reason = parsed.ok ? (serverFault?.message ?? "") : parsed.reason;
  return id === null ? null : { id, reason };
}

function TriggerFields(props: {
  form: AutomationForm;
  set: (change: Partial<AutomationForm>) => void;
  error: unknown;
  mayEdit: boolean;
}) {
  const { form, set, error } = props;
  return (
    <fieldset className="bare stack" disabled={!props.mayEdit}>
      <TextField
        label="Name"
        required
        value={form.name}
        error={errorAt(error, "name")}
        onChange={(event) => set({ name: event.target.value })}
      />
      <TextField
        label="Event"
        required
        placeholder="signed_up"
        help="The name by which your program reports it."
        value={form.event}
        error={errorAt(error, "trigger.event")}
        onChange={(event) => set({ event: event.target.value })}
      />
      <SelectField
        label="How often for one contact"
        value={form.reentry}
        choices={REENTRIES}
        onChange={(event) => set({ reentry: event.target.value as AutomationReentry })}
      />
      <div className="stack-tight">
        <span className="field-label">Only for contacts who fit</span>
        <FilterEditor
          tree={form.filter}
          fault={filterFaultOf(form.filter, null)}
          properties
          onChange={(filter) => set({ filter })}
        />
      </div>
    </fieldset>
  );
}
