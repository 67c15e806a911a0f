import { useRead } from "../../api/queries.ts";
import { AreaField, SelectField, TextField } from "../../ui/field.tsx";
import { Note } from "../../ui/problem.tsx";
import { TagsField } from "../../ui/tags.tsx";
import { SegmentMeter } from "../messages/segment-meter.tsx";
import { SenderField } from "../numbers/sender-field.tsx";
import { FilterEditor, type FilterFault } from "../segments/filter-editor.tsx";
import type { StepNode, WaitKind } from "./steps.ts";

export interface StepFormProps {
  readonly step: StepNode;
  readonly set: (change: Partial<StepNode>) => void;
  /** The server's error about this step. */
  readonly problem: string | null;
  readonly filterFault: FilterFault | null;
}

export function StepForm(props: StepFormProps) {
  return (
    <div className="stack">
      {props.problem !== null && <Note tone="red">{props.problem}</Note>}
      <Fields {...props} />
    </div>
  );
}

function Fields({ step, set, filterFault }: StepFormProps) {
  switch (step.type) {
    case "send":
      return (
        <>
          <SenderField value={step.from} onChange={(from) => set({ from })} />
          <AreaField
            label="Text"
            rows={5}
            help="{{first_name|friend}}, {{plan}} and {{properties.order_id}} are filled in."
            value={step.body}
            onChange={(event) => set({ body: event.target.value })}
          />
          <SegmentMeter body={step.body} />
        </>
      );
    case "wait":
      return <WaitFields step={step} set={set} />;
    case "if":
      return (
        <FilterEditor
          tree={step.filter}
          fault={filterFault}
          properties
          onChange={(filter) => set({ filter })}
        />
      );
    case "add_tags":
    case "remove_tags":
      return <TagsField label="Tags" tags={step.tags} onChange={(tags) => set({ tags })} />;
    case "subscribe":
    case "unsubscribe":
      return <TopicField value={step.topicId} onChange={(topicId) => set({ topicId })} />;
    case "event":
      return (
        <TextField
          label="Name"
          help="Your webhooks receive automation.run.event, with this name."
          value={step.name}
          onChange={(event) => set({ name: event.target.value })}
        />
      );
    case "exit":
      return <p className="muted">The run ends here, as completed.</p>;
  }
}

const WAITS: readonly { value: WaitKind; label: string }[] = [
  { value: "seconds", label: "For a while" },
  { value: "time", label: "Until a time of day" },
  { value: "event", label: "For an event" },
  { value: "until", label: "Until a moment" },
];

const ZONES = [
  { value: "contact", label: "In the contact's time zone" },
  { value: "America/New_York", label: "New York" },
  { value: "America/Chicago", label: "Chicago" },
  { value: "America/Denver", label: "Denver" },
  { value: "America/Los_Angeles", label: "Los Angeles" },
  { value: "UTC", label: "UTC" },
];

function WaitFields({ step, set }: Pick<StepFormProps, "step" | "set">) {
  const zones = ZONES.some((zone) => zone.value === step.timezone)
    ? ZONES
    : [...ZONES, { value: step.timezone, label: step.timezone }];
  return (
    <>
      <SelectField
        label="How long"
        value={step.waitKind}
        choices={WAITS}
        onChange={(event) => set({ waitKind: event.target.value as WaitKind })}
      />
      {step.waitKind === "event" && (
        <TextField
          label="Event"
          placeholder="order.paid"
          value={step.name}
          onChange={(event) => set({ name: event.target.value })}
        />
      )}
      {(step.waitKind === "seconds" || step.waitKind === "event") && (
        <DurationField
          label={step.waitKind === "event" ? "At most" : "For"}
          seconds={step.seconds}
          onChange={(seconds) => set({ seconds })}
        />
      )}
      {step.waitKind === "time" && (
        <>
          <TextField
            label="Time of day"
            type="time"
            value={step.time}
            onChange={(event) => set({ time: event.target.value })}
          />
          <SelectField
            label="In which zone"
            value={step.timezone}
            choices={zones}
            onChange={(event) => set({ timezone: event.target.value })}
          />
        </>
      )}
      {step.waitKind === "until" && (
        <TextField
          label="Moment"
          type="datetime-local"
          help={`In your zone, ${Intl.DateTimeFormat().resolvedOptions().timeZone}.`}
          value={step.until}
          onChange={(event) => set({ until: event.target.value })}
        />
      )}
    </>
  );
}

const UNITS = [
  { value: "1", label: "seconds" },
  { value: "60", label: "minutes" },
  { value: "3600", label: "hours" },
  { value: "86400", label: "days" },
] as const;

/** Largest unit that divides the duration. */
function unitOf(seconds: number): number {
  return Number(UNITS.findLast((unit) => seconds % Number(unit.value) === 0)?.value ?? 1);
}

function DurationField(props: {
  label: string;
  seconds: number;
  onChange: (seconds: number) => void;
}) {
  const unit = unitOf(props.seconds);
  return (
    <div className="pair">
      <TextField
        label={props.label}
        type="number"
        min={1}
        value={props.seconds / unit}
        onChange={(event) => props.onChange(Math.max(1, Number(event.target.value)) * unit)}
      />
      <SelectField
        label="Unit"
        value={String(unit)}
        choices={UNITS}
        onChange={(event) => props.onChange((props.seconds / unit) * Number(event.target.value))}
      />
    </div>
  );
}

const TOPICS_OFFERED_MAX = 100;

function TopicField(props: { value: string; onChange: (value: string) => void }) {
  const topics = useRead(["topics", "choices"], (api, signal) =>
    api.topics.list({ limit: TOPICS_OFFERED_MAX }, { signal }),
  );
  return (
    <SelectField
      label="Topic"
      blank="Choose a topic"
      value={props.value}
      choices={(topics.data?.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
      onChange={(event) => props.onChange(event.target.value)}
    />
  );
}
