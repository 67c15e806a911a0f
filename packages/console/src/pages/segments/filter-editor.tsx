import { FILTER_DEPTH_MAX, FILTER_LEAVES_MAX, type FilterOp } from "@longwave/contract/tables";
import { useRead } from "../../api/queries.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icons.tsx";
import {
  conditionsIn,
  depthOf,
  emptyGroup,
  type FilterCondition,
  type FilterGroup,
  type FilterTree,
  isGroup,
  kindOf,
  newCondition,
  opsOf,
  withNode,
} from "./filter-tree.ts";
import { FIELD_WORDS, OP_WORDS } from "./filter-words.ts";

export interface FilterFault {
  readonly id: number;
  readonly reason: string;
}

interface EditorProps {
  readonly tree: FilterGroup;
  readonly onChange: (tree: FilterGroup) => void;
  /** The invalid row, and the reason. */
  readonly fault: FilterFault | null;
  /** Offers conditions on the properties of an event. */
  readonly properties?: boolean;
}

/** Share of the limit from which the count is shown. */
const NEAR_LIMIT = 0.8;

/** Edits a contact filter as nested groups of conditions. */
export function FilterEditor(props: EditorProps) {
  const count = conditionsIn(props.tree);
  const depth = depthOf(props.tree);
  const isNearLimit = count >= FILTER_LEAVES_MAX * NEAR_LIMIT || depth >= FILTER_DEPTH_MAX - 1;
  return (
    <div className="stack">
      <Group {...props} group={props.tree} depth={0} isRoot />
      {isNearLimit && (
        <p className="meta">
          {count} of {FILTER_LEAVES_MAX} conditions, {depth} of {FILTER_DEPTH_MAX} levels.
        </p>
      )}
    </div>
  );
}

function Group(props: EditorProps & { group: FilterGroup; depth: number; isRoot?: boolean }) {
  const { tree, group, onChange } = props;
  const set = (change: Partial<FilterGroup>) =>
    onChange(withNode(tree, group.id, (node) => ({ ...node, ...change }) as FilterTree));
  const add = (node: FilterTree) => set({ nodes: [...group.nodes, node] });
  const isFull = conditionsIn(tree) >= FILTER_LEAVES_MAX;
  const isDeep = depthOf(tree) >= FILTER_DEPTH_MAX;
  return (
    <fieldset className="filter-group" data-fault={props.fault?.id === group.id || undefined}>
      <legend className="sr-only">
        {group.isNot ? "Not " : ""}
        {group.join === "all" ? "all of" : "any of"}
      </legend>
      <div className="row">
        <select
          className="select"
          aria-label="How the conditions are joined"
          value={`${group.isNot ? "not " : ""}${group.join}`}
          onChange={(event) =>
            set({
              isNot: event.target.value.startsWith("not "),
              join: event.target.value.endsWith("all") ? "all" : "any",
            })
          }
        >
          <option value="all">Match all</option>
          <option value="any">Match any</option>
          <option value="not all">Don't match all</option>
          <option value="not any">Match none</option>
        </select>
        {!props.isRoot && (
          <Button
            kind="ghost"
            size="small"
            icon="x"
            aria-label="Remove the group"
            onClick={() => onChange(withNode(tree, group.id, () => null))}
          />
        )}
      </div>
      {props.fault?.id === group.id && <Fault reason={props.fault.reason} />}
      <div className="filter-nodes">
        {group.nodes.map((node) =>
          isGroup(node) ? (
            <Group key={node.id} {...props} group={node} depth={props.depth + 1} isRoot={false} />
          ) : (
            <Condition key={node.id} {...props} condition={node} />
          ),
        )}
        {group.nodes.length === 0 && <p className="muted">Everyone (no conditions)</p>}
        <div className="row">
          <Button size="small" icon="plus" disabled={isFull} onClick={() => add(newCondition())}>
            Condition
          </Button>
          <Button
            size="small"
            kind="ghost"
            icon="plus"
            disabled={isFull || isDeep}
            onClick={() =>
              add({
                ...emptyGroup(group.join === "all" ? "any" : "all"),
                nodes: [newCondition()],
              })
            }
          >
            Group
          </Button>
        </div>
      </div>
    </fieldset>
  );
}

function Fault(props: { reason: string }) {
  return (
    <p className="field-error">
      <Icon name="alert" size={14} />
      {props.reason}
    </p>
  );
}

function Condition(props: EditorProps & { condition: FilterCondition }) {
  const { tree, condition, onChange } = props;
  const { field, op, key } = condition;
  const set = (change: Partial<FilterCondition>) =>
    onChange(withNode(tree, condition.id, (node) => ({ ...node, ...change }) as FilterTree));
  const chooseField = (next: string) => {
    const ops = opsOf(next);
    const keeps = ops.includes(op) && kindOf(next) === kindOf(field);
    set({ field: next, op: keeps ? op : (ops[0] ?? "is"), value: keeps ? condition.value : "" });
  };
  const isWrong = props.fault?.id === condition.id;
  const isKeyed = field === "attributes" || field === "properties";
  return (
    <div className="stack-tight">
      <div className="filter-condition" data-fault={isWrong || undefined}>
        <select
          className="select"
          aria-label="Field"
          value={field}
          onChange={(event) => chooseField(event.target.value)}
        >
          {Object.entries(FIELD_WORDS).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
          <option value="attributes">Attribute</option>
          {props.properties && <option value="properties">Property of the event</option>}
        </select>
        {isKeyed && (
          <input
            className="input"
            aria-label="Name of the attribute"
            placeholder="plan"
            value={key}
            onChange={(event) => set({ key: event.target.value })}
          />
        )}
        <select
          className="select"
          aria-label="Operator"
          value={op}
          onChange={(event) => set({ op: event.target.value as FilterOp, value: "" })}
        >
          {opsOf(field).map((each) => (
            <option key={each} value={each}>
              {OP_WORDS[each]}
            </option>
          ))}
        </select>
        <ConditionValue
          condition={condition}
          isWrong={isWrong}
          onChange={(value) => set({ value })}
        />
        <Button
          kind="ghost"
          icon="x"
          aria-label="Remove the condition"
          onClick={() => onChange(withNode(tree, condition.id, () => null))}
        />
      </div>
      {isWrong && <Fault reason={props.fault?.reason ?? ""} />}
    </div>
  );
}

function ConditionValue(props: {
  condition: FilterCondition;
  isWrong: boolean;
  onChange: (value: string) => void;
}) {
  const { condition, onChange } = props;
  const kind = kindOf(condition.field);
  if (condition.op === "exists" || kind === "boolean") {
    return (
      <select
        className="select"
        aria-label="Value"
        value={condition.value === "false" ? "false" : "true"}
        onChange={(event) => onChange(event.target.value)}
      >
        <option value="true">Yes</option>
        <option value="false">No</option>
      </select>
    );
  }
  if (kind === "topic") return <TopicValue value={condition.value} onChange={onChange} />;
  return (
    <input
      className="input"
      aria-label="Value"
      aria-invalid={props.isWrong || undefined}
      type={kind === "time" ? "date" : "text"}
      value={kind === "time" ? condition.value.slice(0, 10) : condition.value}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

const TOPICS_OFFERED_MAX = 100;

function TopicValue(props: { value: string; onChange: (value: string) => void }) {
  const topics = useRead(["topics", "choices"], (api, signal) =>
    api.topics.list({ limit: TOPICS_OFFERED_MAX }, { signal }),
  );
  return (
    <select
      className="select"
      aria-label="Topic"
      value={props.value}
      onChange={(event) => props.onChange(event.target.value)}
    >
      <option value="">Choose a topic</option>
      {(topics.data?.data ?? []).map((topic) => (
        <option key={topic.id} value={topic.id}>
          {topic.name}
        </option>
      ))}
    </select>
  );
}
