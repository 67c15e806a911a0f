import type { OperatorAccount } from "@longwave/sdk";
import { type FormEvent, useState } from "react";
import { useAct } from "../../api/queries.ts";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { errorAt, errorBeside, SelectField, TextField } from "../../ui/field.tsx";
import { statesOf } from "../../ui/looks.ts";
import { Card } from "../../ui/page.tsx";
import { ErrorBox } from "../../ui/problem.tsx";
import { toast } from "../../ui/toast.tsx";
import { type LimitsForm, limitChanges, limitsFormOf } from "./account-limits.ts";

const QUESTIONS: Readonly<Record<OperatorAccount["live_access"], (name: string) => string>> = {
  none: (name) => `Take live access from ${name}?`,
  requested: (name) => `Mark live access of ${name} as requested?`,
  granted: (name) => `Grant ${name} live access?`,
  rejected: (name) => `Reject live access of ${name}?`,
};
const SHOWN = ["rate_limit", "daily_message_quota"];

/** Live access, rate and quota of an account. Saves changed fields only; a change of live access asks first. */
export function AccountLimits(props: { account: OperatorAccount }) {
  const { account } = props;
  const [form, setForm] = useState(() => limitsFormOf(account));
  const [isAsking, setIsAsking] = useState(false);
  const changes = limitChanges(account, form);
  const hasChanges = Object.keys(changes).length > 0;
  const set = (part: Partial<LimitsForm>) => setForm({ ...form, ...part });
  const save = useAct(
    (_: undefined, { api }) => api.operator.accounts.update(account.id, changes),
    {
      stale: ["op-accounts", "op-reviews"],
      onDone: () => {
        setIsAsking(false);
        toast("Saved.");
      },
    },
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (changes.live_access === undefined) save.mutate(undefined);
    else setIsAsking(true);
  };
  const isGrant = changes.live_access === "granted";
  return (
    <Card title="Access and limits">
      <form className="stack" onSubmit={submit}>
        <SelectField
          label="Live access"
          value={form.access}
          choices={statesOf("live_access")}
          onChange={(event) => set({ access: event.target.value as LimitsForm["access"] })}
        />
        <TextField
          label="Requests a second"
          optional
          inputMode="numeric"
          help="Empty follows the installation's default; 0 is no limit."
          value={form.rate}
          error={errorAt(save.error, "rate_limit")}
          onChange={(event) => set({ rate: event.target.value })}
        />
        <TextField
          label="Live messages a day"
          optional
          inputMode="numeric"
          help="Empty follows the installation's default."
          value={form.quota}
          error={errorAt(save.error, "daily_message_quota")}
          onChange={(event) => set({ quota: event.target.value })}
        />
        {!isAsking && errorBeside(save.error, SHOWN) !== null && <ErrorBox error={save.error} />}
        <div className="row">
          <Button type="submit" kind="primary" busy={save.isPending} disabled={!hasChanges}>
            Save
          </Button>
        </div>
      </form>
      <Confirm
        title={QUESTIONS[form.access](account.name)}
        isOpen={isAsking}
        onClose={() => setIsAsking(false)}
        onConfirm={() => save.mutate(undefined)}
        action={isGrant ? "Grant" : "Change live access"}
        isSafe={isGrant}
        busy={save.isPending}
        error={save.error}
      >
        {isGrant
          ? "Their live keys work at once, and their messages reach real phones."
          : "Their live keys are refused within a second, and scheduled live messages fail."}
      </Confirm>
    </Card>
  );
}
