import type { SpendLimit } from "@longwave/sdk";
import { type FormEvent, useState } from "react";
import { useHasRole } from "../../api/account.tsx";
import { useAct, useRead } from "../../api/queries.ts";
import { Loaded } from "../../lists/loaded.tsx";
import { Button } from "../../ui/button.tsx";
import { errorAt, errorBeside, TextField } from "../../ui/field.tsx";
import { Card } from "../../ui/page.tsx";
import { ErrorBox } from "../../ui/problem.tsx";
import { toast } from "../../ui/toast.tsx";
import { Time } from "../../ui/values.tsx";
import { SpendBar } from "./spend-bar.tsx";

export function SpendLimitCard() {
  const limit = useRead(["spend-limit"], (api, signal) => api.spendLimit.get({ signal }));
  return (
    <Card
      title="Monthly spend limit"
      foot={
        limit.data && (
          <span>
            Resets <Time at={limit.data.resets_at} />
          </span>
        )
      }
    >
      <Loaded query={limit} skeletonLines={3}>
        {(value) => (
          <div className="stack">
            <SpendBar limit={value} />
            <LimitForm key={String(value.monthly_limit_usd)} limit={value} />
          </div>
        )}
      </Loaded>
    </Card>
  );
}

function LimitForm(props: { limit: SpendLimit }) {
  const { limit } = props;
  const mayChange = useHasRole("admin");
  const [usd, setUsd] = useState(limit.monthly_limit_usd?.toString() ?? "");
  const [alerts, setAlerts] = useState(limit.alert_thresholds.join(", "));
  const save = useAct(
    (_: undefined, { api }) =>
      api.spendLimit.update({
        monthly_limit_usd: usd.trim() === "" ? null : Number(usd),
        alert_thresholds: alerts
          .split(",")
          .map((part) => Number(part.trim()))
          .filter((percent) => percent > 0),
      }),
    { stale: ["spend-limit", "home"], onDone: () => toast("Saved.") },
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate(undefined);
  };
  return (
    <form className="stack" onSubmit={submit}>
      <fieldset className="bare stack" disabled={!mayChange}>
        <TextField
          label="Limit in dollars"
          optional
          inputMode="decimal"
          placeholder="No limit"
          help="Messages beyond it are refused. Leave empty for no limit."
          value={usd}
          error={errorAt(save.error, "monthly_limit_usd")}
          onChange={(event) => setUsd(event.target.value)}
        />
        <TextField
          label="Alert thresholds (%)"
          help="Separated by commas. At each, owners and admins get an email and your webhooks an event."
          value={alerts}
          error={errorAt(save.error, "alert_thresholds")}
          onChange={(event) => setAlerts(event.target.value)}
        />
      </fieldset>
      {errorBeside(save.error, ["monthly_limit_usd", "alert_thresholds"]) !== null && (
        <ErrorBox error={save.error} />
      )}
      {mayChange && (
        <div className="row">
          <Button type="submit" busy={save.isPending}>
            Save
          </Button>
        </div>
      )}
    </form>
  );
}
