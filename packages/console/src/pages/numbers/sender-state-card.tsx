import type { PhoneNumber } from "@longwave/sdk";
import { Link } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { useAccount, useHasRole } from "../../api/account.tsx";
import { useAct, useRead } from "../../api/queries.ts";
import { Button } from "../../ui/button.tsx";
import { errorAt, errorBeside, SelectField } from "../../ui/field.tsx";
import { lookOf } from "../../ui/looks.ts";
import { Card } from "../../ui/page.tsx";
import { plainWords } from "../../ui/plain-words.ts";
import { ErrorBox, Note } from "../../ui/problem.tsx";
import { StateStepper } from "../../ui/state-stepper.tsx";
import { Status } from "../../ui/status.tsx";
import { toast } from "../../ui/toast.tsx";
import { Time } from "../../ui/values.tsx";
import { senderAdvice } from "./sender-advice.ts";

const REGISTRATIONS_MAX = 100;
/** Usual sender states in order; `action_needed` shares the position of `pending`. */
const USUAL_STATES = [["test_only"], ["pending", "action_needed"], ["active"]] as const;

/** Only live local numbers of the US need a registration. */
function needsRegistration({ mode, country, type }: PhoneNumber): boolean {
  return mode === "live" && country === "US" && type === "local";
}

/** Sender state of a number, its reason, and the actions that change it. */
export function SenderStateCard(props: { number: PhoneNumber }) {
  const { number } = props;
  const mayLink = useHasRole("admin");
  const needs = needsRegistration(number);
  const { mode } = useAccount();
  const canLink = mayLink && needs && mode === "live" && number.status === "active";
  return (
    <Card
      title="Carrier status"
      aside={!needs && <Status machine="sender" state={number.sender.state} />}
    >
      <div className="stack">
        {needs && <StateStepper machine="sender" state={number.sender.state} way={USUAL_STATES} />}
        {number.sender.reason && <Note tone="amber">{plainWords(number.sender.reason)}</Note>}
        <p>{senderAdvice(number)}</p>
        {canLink && <LinkRegistration key={number.sender.registration_id} number={number} />}
        <p className="meta">
          As of <Time at={number.sender.updated_at} />
        </p>
      </div>
    </Card>
  );
}

/** Links the number to a registration of the account, or links it again after a failure. */
function LinkRegistration(props: { number: PhoneNumber }) {
  const { number } = props;
  const { base } = useAccount();
  const { registration_id: current } = number.sender;
  const [chosen, setChosen] = useState(current ?? "");
  const registrations = useRead(["registrations", "choices"], (api, signal) =>
    api.registrations.list({ limit: REGISTRATIONS_MAX }, { signal }),
  );
  const link = useAct(
    (_: undefined, { api, idempotencyKey }) =>
      api.numbers.register(number.phone_number, { registration_id: chosen }, { idempotencyKey }),
    { stale: ["numbers", "number", "home"], onDone: () => toast("Linked to the registration.") },
  );
  const choices = registrations.data?.data ?? [];
  if (registrations.data && choices.length === 0) {
    return (
      <p>
        <Link to={`${base}/registrations/new`} search={{}}>
          Begin a registration
        </Link>
      </p>
    );
  }
  const submit = (event: FormEvent) => {
    event.preventDefault();
    link.mutate(undefined);
  };
  return (
    <form className="stack" onSubmit={submit}>
      <SelectField
        label="Registration"
        required
        blank="None"
        help="A number follows the account's registration by itself. Name one where there are several."
        value={chosen}
        choices={choices.map((each) => ({
          value: each.id,
          label: `${each.business_name} · ${lookOf("registration", each.status).word}`,
        }))}
        error={errorAt(link.error, "registration_id")}
        onChange={(event) => setChosen(event.target.value)}
      />
      {errorBeside(link.error, ["registration_id"]) !== null && <ErrorBox error={link.error} />}
      <div className="row">
        <Button type="submit" busy={link.isPending} disabled={chosen === ""}>
          {chosen === current ? "Link it again" : "Link it"}
        </Button>
        {current !== null && (
          <Link to={`${base}/registrations/${current}`} search={{}}>
            See the registration
          </Link>
        )}
      </div>
    </form>
  );
}
