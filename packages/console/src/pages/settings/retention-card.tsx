import { REDACT_AFTER_DAYS_MAX, REDACT_AFTER_DAYS_MIN } from "@longwave/contract/tables";
import type { Account } from "@longwave/sdk";
import { Link } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { useAccount, useHasRole } from "../../api/account.tsx";
import { useAct } from "../../api/queries.ts";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { CheckField, errorAt, errorBeside, TextField } from "../../ui/field.tsx";
import { formatCount, plural } from "../../ui/format.ts";
import { Card } from "../../ui/page.tsx";
import { ErrorBox, Note } from "../../ui/problem.tsx";
import { toast } from "../../ui/toast.tsx";

const DAYS_USUAL = 365;

/** Time after which messages lose body and number. It holds for both modes. */
export function RetentionCard(props: { account: Account }) {
  const { account, mode } = useAccount();
  const isElsewhere = account.live_access === "granted" && mode === "test";
  const days = props.account.redact_after_days;
  return (
    <Card title="Retention">
      <RetentionForm key={String(days)} days={days} isElsewhere={isElsewhere} />
    </Card>
  );
}

function RetentionForm(props: { days: number | null; isElsewhere: boolean }) {
  const { days, isElsewhere } = props;
  const { account } = useAccount();
  const mayChange = useHasRole("admin") && !isElsewhere;
  const [isOn, setIsOn] = useState(days !== null);
  const [text, setText] = useState(String(days ?? DAYS_USUAL));
  const [isAsking, setIsAsking] = useState(false);
  const wanted = isOn ? Number(text) : null;
  const save = useAct(
    (_: undefined, { api }) => api.account.update({ redact_after_days: wanted }),
    {
      stale: ["account"],
      onDone: () => {
        setIsAsking(false);
        toast("Saved.");
      },
    },
  );
  // A shorter time deletes what is older within a day.
  const isShorter = wanted !== null && (days === null || wanted < days);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isShorter) setIsAsking(true);
    else save.mutate(undefined);
  };
  const error = errorAt(save.error, "redact_after_days");
  return (
    <>
      <form className="stack" onSubmit={submit}>
        {isElsewhere && (
          <Note tone="blue">
            This setting covers live messages, too.{" "}
            <Link to={`/${account.id}/live/settings`} search={{}}>
              Change it in Live
            </Link>
            .
          </Note>
        )}
        <CheckField
          label="Delete bodies and numbers of old messages"
          help="Messages, verifications and batch rows lose body and number for good. The rest of them stays."
          checked={isOn}
          disabled={!mayChange}
          onChange={setIsOn}
        />
        {isOn && (
          <TextField
            label="Days"
            type="number"
            required
            min={REDACT_AFTER_DAYS_MIN}
            max={REDACT_AFTER_DAYS_MAX}
            disabled={!mayChange}
            help={`Between ${REDACT_AFTER_DAYS_MIN} and ${formatCount(REDACT_AFTER_DAYS_MAX)}.`}
            value={text}
            error={error}
            onChange={(event) => setText(event.target.value)}
          />
        )}
        {errorBeside(save.error, ["redact_after_days"]) ? <ErrorBox error={save.error} /> : null}
        {mayChange && wanted !== days && (
          <div className="row">
            <Button kind="primary" type="submit" busy={save.isPending}>
              Save the retention
            </Button>
          </div>
        )}
      </form>
      <Confirm
        title={`Delete what is older than ${plural(wanted ?? 0, "day")}?`}
        isOpen={isAsking}
        onClose={() => setIsAsking(false)}
        onConfirm={() => save.mutate(undefined)}
        action="Delete and save"
        busy={save.isPending}
        error={save.error}
      >
        Within a day, older messages of {account.name} lose body and number in both modes. This
        can't be undone.
      </Confirm>
    </>
  );
}
