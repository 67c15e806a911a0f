import {
  AUTOMATION_STEP_TYPES,
  AUTOMATION_STEPS_MAX,
  type AutomationStepType,
} from "@longwave/contract/tables";
import { useNameOf } from "../../api/names.ts";
import { Button } from "../../ui/button.tsx";
import { formatCount } from "../../ui/format.ts";
import { Icon } from "../../ui/icons.tsx";
import { Menu, MenuItem } from "../../ui/menu.tsx";
import type { StepCount } from "./run-counts.ts";
import { type Branch, branchesOf, branchName, type StepNode } from "./steps.ts";
import { BRANCH_WORDS, namedIn, STEP_WORDS, stepSummary } from "./words.ts";

export interface InsertPosition {
  readonly parent: number | null;
  readonly branch: Branch;
  readonly index: number;
}

interface DiagramProps {
  readonly trigger: string;
  readonly nodes: readonly StepNode[];
  readonly counts: ReadonlyMap<string, StepCount>;
  readonly chosen: number | null;
  readonly faultId: number | null;
  readonly isFull: boolean;
  /** null: read only. */
  readonly edit: {
    choose(id: number | null): void;
    insert(position: InsertPosition, type: AutomationStepType): void;
    move(id: number, by: -1 | 1): void;
    remove(id: number): void;
  } | null;
  readonly onChooseTrigger: (() => void) | null;
}

/** Steps as a tree with connecting lines. Counts of runs appear at their steps. */
export function Diagram(props: DiagramProps) {
  return (
    <div className="flow">
      <button
        type="button"
        className="flow-trigger"
        disabled={props.onChooseTrigger === null}
        aria-pressed={props.chosen === null && props.edit !== null}
        onClick={() => props.onChooseTrigger?.()}
      >
        <Icon name="bolt" />
        <span>
          When <b>{props.trigger || "an event"}</b> is tracked
        </span>
      </button>
      <StepList {...props} list={props.nodes} path="" parent={null} branch="yes" />
      {props.isFull && (
        <p className="meta">An automation has at most {AUTOMATION_STEPS_MAX} steps.</p>
      )}
    </div>
  );
}

function StepList(
  props: DiagramProps & {
    list: readonly StepNode[];
    path: string;
    parent: number | null;
    branch: Branch;
  },
) {
  const { list, parent, branch, edit } = props;
  return (
    <ol className="flow-list">
      {list.map((step, index) => (
        <li key={step.id}>
          {edit && (
            <AddStep
              isDisabled={props.isFull}
              onAdd={(type) => edit.insert({ parent, branch, index }, type)}
            />
          )}
          <Step {...props} step={step} path={`${props.path}${index}`} />
        </li>
      ))}
      {edit ? (
        <li>
          <AddStep
            isDisabled={props.isFull}
            onAdd={(type) => edit.insert({ parent, branch, index: list.length }, type)}
          />
        </li>
      ) : (
        list.length === 0 && <li className="meta flow-none">goes on below</li>
      )}
    </ol>
  );
}

function AddStep(props: { isDisabled: boolean; onAdd: (type: AutomationStepType) => void }) {
  if (props.isDisabled) return null;
  return (
    <div className="flow-add">
      <Menu label="Add a step here" trigger={<Icon name="plus" size={13} />} className="flow-plus">
        {AUTOMATION_STEP_TYPES.map((type) => (
          <MenuItem key={type} icon={STEP_WORDS[type].icon} onSelect={() => props.onAdd(type)}>
            {STEP_WORDS[type].word}
          </MenuItem>
        ))}
      </Menu>
    </div>
  );
}

function Summary({ step }: { step: StepNode }) {
  return <span className="muted">{stepSummary(step, useNameOf(namedIn(step)))}</span>;
}

function Step(props: DiagramProps & { step: StepNode; path: string }) {
  const { step, path, edit } = props;
  const words = STEP_WORDS[step.type];
  const branches = branchesOf(step);
  return (
    <>
      <div
        className="flow-step"
        data-type={step.type}
        data-chosen={props.chosen === step.id || undefined}
        data-fault={props.faultId === step.id || undefined}
      >
        <button
          type="button"
          className="flow-face"
          disabled={edit === null}
          aria-pressed={edit ? props.chosen === step.id : undefined}
          onClick={() => edit?.choose(step.id)}
        >
          <span className="flow-icon">
            <Icon name={words.icon} />
          </span>
          <span className="flow-words">
            <b>{words.word}</b>
            <Summary step={step} />
          </span>
        </button>
        <Counts count={props.counts.get(path)} />
        {edit && (
          <span className="flow-tools">
            <Button
              kind="ghost"
              size="small"
              aria-label="Move up"
              onClick={() => edit.move(step.id, -1)}
            >
              <span className="turned-up">
                <Icon name="chevron" size={13} />
              </span>
            </Button>
            <Button
              kind="ghost"
              size="small"
              aria-label="Move down"
              onClick={() => edit.move(step.id, 1)}
            >
              <span className="turned-down">
                <Icon name="chevron" size={13} />
              </span>
            </Button>
            <Button
              kind="ghost"
              size="small"
              icon="x"
              aria-label="Remove the step"
              onClick={() => edit.remove(step.id)}
            />
          </span>
        )}
      </div>
      {branches.length > 0 && (
        <div className="flow-branches">
          {branches.map((branch) => (
            <div key={branch} className="flow-branch">
              <span className="flow-label">{BRANCH_WORDS[branch]}</span>
              <StepList
                {...props}
                list={step.branches[branch]}
                path={`${path}.${branchName(branch)}.`}
                parent={step.id}
                branch={branch}
              />
            </div>
          ))}
        </div>
      )}
    </>
  );
}

function Counts(props: { count: StepCount | undefined }) {
  const { count } = props;
  if (!count) return null;
  return (
    <span className="flow-counts tabular">
      {count.here > 0 && (
        <span className="badge" data-tone="blue">
          {formatCount(count.here)} waiting
        </span>
      )}
      {count.passed > 0 && <span className="meta">{formatCount(count.passed)} passed</span>}
      {count.failed > 0 && (
        <span className="badge" data-tone="red">
          {formatCount(count.failed)} failed
        </span>
      )}
    </span>
  );
}
