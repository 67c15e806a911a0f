import type { Schedule } from "@longwave/sdk";
import { type FormEvent, useState } from "react";
import { useAct } from "../../api/queries.ts";
import { useDraft } from "../../draft.ts";
import { Button } from "../../ui/button.tsx";
import {
  AreaField,
  CheckField,
  errorAt,
  errorBeside,
  Field,
  SelectField,
  TextField,
} from "../../ui/field.tsx";
import { Card } from "../../ui/page.tsx";
import { ErrorBox } from "../../ui/problem.tsx";
import { SegmentMeter } from "../messages/segment-meter.tsx";
import { SenderField } from "../numbers/sender-field.tsx";
import { DAYS, EMPTY_RULE, type RuleForm, type RuleKind, ruleFormOf, ruleOf } from "./rule.ts";

const KINDS: readonly { value: RuleKind; label: string }[] = [
  { value: "daily", label: "Every day" },
  { value: "weekly", label: "Every week" },
  { value: "monthly", label: "Every month" },
  { value: "rrule", label: "By a rule of RFC 5545" },
  { value: "cron", label: "By a cron expression" },
];

interface ScheduleForm {
  readonly to: string;
  readonly from: string;
  readonly body: string;
  readonly timezone: string;
  readonly endDay: string;
  readonly rule: RuleForm;
}

const ownZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

function formOf(schedule: Schedule | null): ScheduleForm {
  return {
    to: schedule?.to ?? "",
    from: schedule?.from ?? "",
    body: schedule?.body ?? "",
    timezone: schedule?.timezone ?? ownZone(),
    endDay: schedule?.end_at?.slice(0, 10) ?? "",
    rule: schedule ? ruleFormOf(schedule) : EMPTY_RULE,
  };
}

/** Form of a recurring message: recipient, body, rule and time zone. */
export function ScheduleEditor(props: {
  schedule: Schedule | null;
  onSaved: (schedule: Schedule) => void;
}) {
  const { schedule } = props;
  const [empty] = useState(() => formOf(schedule));
  const form = useDraft(`schedule.${schedule?.id ?? "new"}`, empty);
  const { to, from, body, timezone, endDay, rule } = form.value;
  const save = useAct(
    (_: undefined, { api }) => {
      const made = ruleOf(rule);
      const end = endDay === "" ? null : `${endDay}T23:59:59Z`;
      const content = { to, from, body, timezone, ...made };
      return schedule
        ? api.schedules.update(schedule.id, { ...content, end_at: end })
        : api.schedules.create(
            { ...content, ...(end === null ? {} : { end_at: end }) },
            { idempotencyKey: form.idempotencyKey },
          );
    },
    {
      stale: ["schedules", "scheduled"],
      onDone: (saved) => {
        form.clear();
        props.onSaved(saved);
      },
    },
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate(undefined);
  };
  const shown = ["to", "from", "body", "timezone", "rrule", "cron", "end_at"];
  return (
    <form className="halves" onSubmit={submit}>
      <Card title="Message">
        <div className="stack">
          <TextField
            label="To"
            required
            inputMode="tel"
            value={to}
            error={errorAt(save.error, "to")}
            onChange={(event) => form.set({ to: event.target.value })}
          />
          <SenderField
            value={from}
            error={errorAt(save.error, "from")}
            onChange={(value) => form.set({ from: value })}
          />
          <AreaField
            label="Text"
            required
            rows={4}
            value={body}
            error={errorAt(save.error, "body")}
            onChange={(event) => form.set({ body: event.target.value })}
          />
          <SegmentMeter body={body} />
        </div>
      </Card>
      <Card title="When">
        <div className="stack">
          <RuleFields
            rule={rule}
            error={errorAt(save.error, "rrule") ?? errorAt(save.error, "cron")}
            onChange={(next) => form.set({ rule: next })}
          />
          <ZoneField
            value={timezone}
            error={errorAt(save.error, "timezone")}
            onChange={(value) => form.set({ timezone: value })}
          />
          <TextField
            label="Last day"
            optional
            type="date"
            value={endDay}
            error={errorAt(save.error, "end_at")}
            onChange={(event) => form.set({ endDay: event.target.value })}
          />
          {errorBeside(save.error, shown) !== null && <ErrorBox error={save.error} />}
          <div className="row">
            <Button type="submit" kind="primary" busy={save.isPending}>
              {schedule ? "Save" : "Create schedule"}
            </Button>
          </div>
        </div>
      </Card>
    </form>
  );
}

const DAY_NAMES = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

function RuleFields(props: {
  rule: RuleForm;
  error: string | null;
  onChange: (rule: RuleForm) => void;
}) {
  const { rule, onChange } = props;
  const set = (change: Partial<RuleForm>) => onChange({ ...rule, ...change });
  const isWritten = rule.kind === "rrule" || rule.kind === "cron";
  return (
    <>
      <SelectField
        label="How often"
        value={rule.kind}
        choices={KINDS}
        error={isWritten ? null : props.error}
        onChange={(event) => set({ kind: event.target.value as RuleKind })}
      />
      {rule.kind === "weekly" && (
        <fieldset className="pairs">
          <legend>On</legend>
          <div className="row">
            {DAYS.map((day, index) => (
              <CheckField
                key={day}
                label={DAY_NAMES[index]}
                checked={rule.days.includes(day)}
                onChange={(isOn) =>
                  set({ days: isOn ? [...rule.days, day] : rule.days.filter((d) => d !== day) })
                }
              />
            ))}
          </div>
        </fieldset>
      )}
      {rule.kind === "monthly" && (
        <TextField
          label="Day of the month"
          type="number"
          min={1}
          max={31}
          value={rule.monthDay}
          onChange={(event) => set({ monthDay: Number(event.target.value) })}
        />
      )}
      {isWritten ? (
        <TextField
          label={rule.kind === "cron" ? "Cron expression" : "Rule"}
          required
          placeholder={rule.kind === "cron" ? "30 9 * * 1-5" : "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO"}
          value={rule.text}
          error={props.error}
          onChange={(event) => set({ text: event.target.value })}
        />
      ) : (
        <TextField
          label="At"
          type="time"
          required
          value={rule.time}
          onChange={(event) => set({ time: event.target.value })}
        />
      )}
    </>
  );
}

function ZoneField(props: {
  value: string;
  error: string | null;
  onChange: (value: string) => void;
}) {
  return (
    <Field
      label="Time zone"
      help="The rule is read in this zone, through every change of clocks."
      error={props.error}
    >
      {(control) => (
        <>
          <input
            {...control}
            className="input"
            list="zones"
            required
            value={props.value}
            onChange={(event) => props.onChange(event.target.value)}
          />
          <datalist id="zones">
            {Intl.supportedValuesOf("timeZone").map((zone) => (
              <option key={zone} value={zone} />
            ))}
          </datalist>
        </>
      )}
    </Field>
  );
}
