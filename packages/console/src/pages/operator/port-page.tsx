import type { OperatorPortRequest } from "@longwave/sdk";
import { useParams } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { useAct, useRead } from "../../api/queries.ts";
import { Loaded } from "../../lists/loaded.tsx";
import { Button } from "../../ui/button.tsx";
import { Id } from "../../ui/copy.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { errorAt, errorBeside, TextField } from "../../ui/field.tsx";
import { formatPhone } from "../../ui/format.ts";
import { lookOf } from "../../ui/looks.ts";
import { Card, Facts, Page } from "../../ui/page.tsx";
import { ErrorBox, Note } from "../../ui/problem.tsx";
import { StateStepper } from "../../ui/state-stepper.tsx";
import { toast } from "../../ui/toast.tsx";
import { Phone, Time } from "../../ui/values.tsx";
import { providerTitle } from "../imports/words.ts";
import { formatDate, USUAL_STATUSES } from "../ports/statuses.ts";
import { AccountLink } from "./account-name.tsx";

type Status = OperatorPortRequest["status"];

export function OperatorPortPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const request = useRead(["op-ports", id], (api, signal) =>
    api.operator.portRequests.get(id, { signal }),
  );
  return (
    <Page
      title={request.data ? formatPhone(request.data.phone_number) : "Port request"}
      crumb={{ to: "/op/ports", label: "Port requests" }}
    >
      <Loaded query={request}>
        {(value) => (
          <div className="columns">
            <div className="stack-wide">
              <Card title="Status">
                <div className="stack">
                  <StateStepper machine="port_request" state={value.status} way={USUAL_STATUSES} />
                  {value.reason !== null && <Note tone="red">{value.reason}</Note>}
                </div>
              </Card>
              <Card title="Details">
                <Facts
                  facts={[
                    { name: "Number", value: <Phone value={value.phone_number} /> },
                    {
                      name: "Account",
                      value: <AccountLink id={value.account_id} />,
                    },
                    { name: "From", value: providerTitle(value.provider) },
                    value.foc_date === null
                      ? null
                      : { name: "Port date", value: formatDate(value.foc_date) },
                    { name: "Id", value: <Id value={value.id} /> },
                    { name: "Asked for", value: <Time at={value.created_at} /> },
                  ]}
                />
              </Card>
            </div>
            <Move key={value.status} request={value} />
          </div>
        )}
      </Loaded>
    </Page>
  );
}

interface Step {
  readonly status: Status;
  readonly reason?: string;
  readonly foc_date?: string;
}

/** The next status of a port request, with its action. */
const NEXT_STATUS: Readonly<Record<Status, { to: Status; action: string; about: string } | null>> =
  {
    requested: {
      to: "submitted",
      action: "Mark as submitted",
      about: "Once the carrier that has the number has your request.",
    },
    submitted: {
      to: "foc_set",
      action: "Set the day",
      about: "Once that carrier has named the day on which it moves.",
    },
    foc_set: {
      to: "complete",
      action: "Complete it",
      about: "Puts the live number into the account and charges its first month.",
    },
    complete: null,
    rejected: {
      to: "requested",
      action: "Open it again",
      about: "Once what was wrong is mended.",
    },
  };

function Move(props: { request: OperatorPortRequest }) {
  const { request } = props;
  const [day, setDay] = useState("");
  const [asked, setAsked] = useState<Step | null>(null);
  const move = useAct((step: Step, { api }) => api.operator.portRequests.update(request.id, step), {
    stale: ["op-ports"],
    onDone: (moved) => {
      setAsked(null);
      toast(`${lookOf("port_request", moved.status).word}.`);
    },
  });
  const ahead = NEXT_STATUS[request.status];
  if (ahead === null) {
    return (
      <Card title="Done">
        <p className="muted">The number is in the account. Nothing is left to do here.</p>
      </Card>
    );
  }
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const step = { status: ahead.to, ...(ahead.to === "foc_set" ? { foc_date: day } : {}) };
    if (step.status === "complete") setAsked(step);
    else move.mutate(step);
  };
  const shown = ["foc_date", "reason"];
  return (
    <div className="stack-wide">
      <Card title="Next">
        <form className="stack" onSubmit={submit}>
          <p className="muted">{ahead.about}</p>
          {ahead.to === "foc_set" && (
            <TextField
              label="Port date"
              type="date"
              required
              value={day}
              error={errorAt(move.error, "foc_date")}
              onChange={(event) => setDay(event.target.value)}
            />
          )}
          {errorBeside(move.error, shown) ? <ErrorBox error={move.error} /> : null}
          <div className="row">
            <Button kind="primary" type="submit" busy={move.isPending}>
              {ahead.action}
            </Button>
          </div>
        </form>
      </Card>
      {request.status !== "rejected" && (
        <Reject
          isBusy={move.isPending}
          error={errorAt(move.error, "reason")}
          onReject={(reason) => setAsked({ status: "rejected", reason })}
        />
      )}
      {asked !== null && (
        <ConfirmMove
          number={formatPhone(request.phone_number)}
          step={asked}
          busy={move.isPending}
          error={move.error}
          onClose={() => setAsked(null)}
          onConfirm={() => move.mutate(asked)}
        />
      )}
    </div>
  );
}

function ConfirmMove(props: {
  number: string;
  step: Step;
  busy: boolean;
  error: unknown;
  onClose: () => void;
  onConfirm: () => void;
}) {
  const { number, step } = props;
  const isRejection = step.status === "rejected";
  return (
    <Confirm
      title={isRejection ? `Reject the port of ${number}?` : `Complete the port of ${number}?`}
      isOpen
      onClose={props.onClose}
      onConfirm={props.onConfirm}
      action={isRejection ? "Reject" : "Complete"}
      isSafe={!isRejection}
      busy={props.busy}
      error={props.error}
    >
      {isRejection
        ? `The customer reads: ${step.reason}`
        : "The live number goes into the account, and its first month is charged. It can't be undone."}
    </Confirm>
  );
}

function Reject(props: {
  isBusy: boolean;
  error: string | null;
  onReject: (reason: string) => void;
}) {
  const [reason, setReason] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    props.onReject(reason);
  };
  return (
    <Card title="Reject">
      <form className="stack" onSubmit={submit}>
        <TextField
          label="Why"
          required
          help="The customer reads this."
          value={reason}
          error={props.error}
          onChange={(event) => setReason(event.target.value)}
        />
        <div className="row">
          <Button kind="danger" type="submit" busy={props.isBusy}>
            Reject it
          </Button>
        </div>
      </form>
    </Card>
  );
}
