import { useState } from "react";
import { useAct } from "../../api/queries.ts";
import { Button } from "../../ui/button.tsx";
import { errorAt, errorBeside, TextField } from "../../ui/field.tsx";
import { formatPhone } from "../../ui/format.ts";
import { ErrorBox } from "../../ui/problem.tsx";
import { toast } from "../../ui/toast.tsx";
import { type FirstPerson, useFirstPerson } from "./first-person.ts";
import { type BatchForm, mergedFor, type StepProps } from "./form.ts";

/** Sends the message to one phone, merged for the first person of the audience. */
export function TestSend(props: StepProps) {
  const { form } = props;
  const [to, setTo] = useState("");
  const person = useFirstPerson(form);
  const merged = person ? mergedFor(form, person) : null;
  const send = useAct(
    (body: string, { api, idempotencyKey }) =>
      api.messages.send({ to, from: form.from, body }, { idempotencyKey }),
    { stale: ["messages"], onDone: () => toast(`A test was sent to ${to}.`) },
  );
  const isReady = to.trim() !== "" && form.from !== "" && merged?.ok && merged.text.trim() !== "";
  return (
    <div className="stack-tight">
      <TextField
        label="Send a test to"
        optional
        type="tel"
        placeholder="(415) 555-0123"
        help={valuesOf(form, person)}
        value={to}
        error={errorAt(send.error, "to")}
        onChange={(event) => setTo(event.target.value)}
      />
      {errorBeside(send.error, ["to"]) !== null && <ErrorBox error={send.error} />}
      <div className="row">
        <Button
          size="small"
          icon="send"
          disabled={!isReady}
          busy={send.isPending}
          onClick={() => merged?.ok && send.mutate(merged.text)}
        >
          Send test
        </Button>
      </div>
    </div>
  );
}

function valuesOf(form: BatchForm, person: FirstPerson | null | undefined): string {
  if (form.audience === "file") return "With the values of the first person.";
  if (person === null) return "Nobody is in this audience yet, so there are no values for a test.";
  return person ? `With the values of ${person.name ?? formatPhone(person.to)}.` : "";
}
