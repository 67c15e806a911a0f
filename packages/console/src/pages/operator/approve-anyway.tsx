import type { OperatorRegistration } from "@longwave/sdk";
import { type FormEvent, useState } from "react";
import { useAct } from "../../api/queries.ts";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { AreaField, errorAt, errorBeside, TextField } from "../../ui/field.tsx";
import { Card } from "../../ui/page.tsx";
import { ErrorBox } from "../../ui/problem.tsx";
import { toast } from "../../ui/toast.tsx";

/** Statuses that `approve` takes with a campaign approved elsewhere; `checks_failed` also without one. */
const STATUSES: readonly OperatorRegistration["status"][] = [
  "draft",
  "checks_failed",
  "ready",
  "rejected",
];

export function mayApproveAnyway(registration: OperatorRegistration): boolean {
  return STATUSES.includes(registration.status);
}

/** Approves a registration that was not submitted: its campaign is approved elsewhere, or its check is wrong. */
export function ApproveAnyway(props: { registration: OperatorRegistration }) {
  const { registration } = props;
  const isChecksFailed = registration.status === "checks_failed";
  const [campaign, setCampaign] = useState(registration.campaign_id ?? "");
  const [note, setNote] = useState("");
  const [isAsking, setIsAsking] = useState(false);
  const approve = useAct(
    (_: undefined, { api, idempotencyKey }) =>
      api.operator.registrations.review(
        registration.id,
        {
          decision: "approve",
          override: true,
          note: note.trim(),
          ...(campaign.trim() === "" ? {} : { campaign_id: campaign.trim() }),
        },
        { idempotencyKey },
      ),
    {
      stale: ["op-reviews"],
      onDone: (after) => {
        setIsAsking(false);
        toast(`${after.business_name} is approved.`);
      },
    },
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setIsAsking(true);
  };
  return (
    <Card title="Approve without a submission">
      <form className="stack" onSubmit={submit}>
        <p className="muted">
          {isChecksFailed
            ? "For a business whose pages are fine although the check failed, or whose campaign is approved elsewhere. Free of charge."
            : "For a campaign that is approved elsewhere, such as at your provider. Free of charge."}
        </p>
        <TextField
          label="Campaign id"
          optional={isChecksFailed}
          required={!isChecksFailed}
          help="The id of the campaign approved elsewhere."
          value={campaign}
          error={errorAt(approve.error, "campaign_id")}
          onChange={(event) => setCampaign(event.target.value)}
        />
        <AreaField
          label="Note"
          required
          rows={3}
          help="The customer and the audit log show it."
          value={note}
          error={errorAt(approve.error, "note")}
          onChange={(event) => setNote(event.target.value)}
        />
        {!isAsking && errorBeside(approve.error, ["campaign_id", "note"]) !== null && (
          <ErrorBox error={approve.error} />
        )}
        <div className="row">
          <Button type="submit" busy={approve.isPending}>
            Approve without a submission
          </Button>
        </div>
      </form>
      <Confirm
        title={`Approve ${registration.business_name}?`}
        isOpen={isAsking}
        onClose={() => setIsAsking(false)}
        onConfirm={() => approve.mutate(undefined)}
        action="Approve"
        isSafe
        busy={approve.isPending}
        error={approve.error}
      >
        Its numbers can send to the public at once.
      </Confirm>
    </Card>
  );
}
