import type { Account } from "@longwave/sdk";
import { type FormEvent, useState } from "react";
import { useHasRole } from "../../api/account.tsx";
import { useAct } from "../../api/queries.ts";
import { Button } from "../../ui/button.tsx";
import { CheckField, errorAt, errorBeside, TextField } from "../../ui/field.tsx";
import { Card } from "../../ui/page.tsx";
import { ErrorBox } from "../../ui/problem.tsx";
import { toast } from "../../ui/toast.tsx";

const USUAL = { start: "21:00", end: "08:00" };
const PARAMS = ["quiet_hours.start", "quiet_hours.end"];

/** Quiet hours, need of opt-ins, and smart encoding of the account. */
export function SendingCard(props: { account: Account }) {
  const { account } = props;
  const { quiet_hours: quiet } = account;
  return (
    <Card title="Sending">
      <div className="stack-wide">
        <QuietHours key={`${quiet?.start} ${quiet?.end} ${quiet?.by_law}`} quiet={quiet} />
        <OptInRequired isOn={account.opt_in_required} />
        <SmartEncoding isOn={account.smart_encoding} />
      </div>
    </Card>
  );
}

function QuietHours(props: { quiet: Account["quiet_hours"] }) {
  const { quiet } = props;
  const mayChange = useHasRole("admin");
  const [isOn, setIsOn] = useState(quiet !== null);
  const [start, setStart] = useState(quiet?.start ?? USUAL.start);
  const [end, setEnd] = useState(quiet?.end ?? USUAL.end);
  const [isByLaw, setIsByLaw] = useState(quiet?.by_law === true);
  const save = useAct(
    (value: { start: string; end: string; by_law: boolean } | null, { api }) =>
      api.account.update({ quiet_hours: value }),
    { stale: ["account"], onDone: () => toast("Saved.") },
  );
  const isOther =
    start !== quiet?.start || end !== quiet?.end || isByLaw !== (quiet?.by_law === true);
  const isChanged = isOn !== (quiet !== null) || (isOn && isOther);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate(isOn ? { start, end, by_law: isByLaw } : null);
  };
  return (
    <form className="stack" onSubmit={submit}>
      <CheckField
        label="Quiet hours"
        help="A text that would arrive at night, by the clock of the phone's area code, waits until morning. Codes, automatic replies and answers to somebody who has just written do not wait."
        checked={isOn}
        disabled={!mayChange}
        onChange={setIsOn}
      />
      {isOn && (
        <div className="row">
          <TextField
            label="From"
            type="time"
            required
            disabled={!mayChange}
            value={start}
            error={errorAt(save.error, "quiet_hours.start")}
            onChange={(event) => setStart(event.target.value)}
          />
          <TextField
            label="Until"
            type="time"
            required
            disabled={!mayChange}
            value={end}
            error={errorAt(save.error, "quiet_hours.end")}
            onChange={(event) => setEnd(event.target.value)}
          />
        </div>
      )}
      {isOn && (
        <CheckField
          label="Hours by law, too"
          help="A text also waits for the hours in which the law of the recipient's state allows marketing on that weekday."
          checked={isByLaw}
          disabled={!mayChange}
          onChange={setIsByLaw}
        />
      )}
      {errorBeside(save.error, PARAMS) ? <ErrorBox error={save.error} /> : null}
      {mayChange && isChanged && (
        <div className="row">
          <Button kind="primary" type="submit" busy={save.isPending}>
            Save the quiet hours
          </Button>
        </div>
      )}
    </form>
  );
}

function OptInRequired({ isOn }: { isOn: boolean }) {
  return (
    <AccountSwitch
      field="opt_in_required"
      isOn={isOn}
      label="Only with an opt-in"
      help="A text to somebody without an opt-in in the consent ledger is refused. Codes and answers to somebody who has just written are not."
    />
  );
}

function SmartEncoding({ isOn }: { isOn: boolean }) {
  return (
    <AccountSwitch
      field="smart_encoding"
      isOn={isOn}
      label="Smart encoding"
      help="Curly quotes, long dashes and the like become plain ones where that lets a text go out in fewer segments. One such character halves what fits."
    />
  );
}

/** A setting of the account that is on or off. Saved as soon as it is changed. */
function AccountSwitch(props: {
  field: "opt_in_required" | "smart_encoding";
  isOn: boolean;
  label: string;
  help: string;
}) {
  const { field, label, help } = props;
  const mayChange = useHasRole("admin");
  const [isOn, setIsOn] = useState(props.isOn);
  const save = useAct((value: boolean, { api }) => api.account.update({ [field]: value }), {
    stale: ["account"],
    onDone: () => toast("Saved."),
  });
  return (
    <div className="stack">
      <CheckField
        label={label}
        help={help}
        checked={isOn}
        disabled={!mayChange}
        onChange={(value) => {
          setIsOn(value);
          save.mutate(value, { onError: () => setIsOn(!value) });
        }}
      />
      {save.error ? <ErrorBox error={save.error} /> : null}
    </div>
  );
}
