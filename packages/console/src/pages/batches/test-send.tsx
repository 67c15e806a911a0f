import { useState } from "react";
import { useAct } from "../../api/queries.ts";
import { Button } from "../../ui/button.tsx";
import { errorAt, errorBeside, TextField } from "../../ui/field.tsx";
import { ErrorBox } from "../../ui/problem.tsx";
import { toast } from "../../ui/toast.tsx";
import { mergedRow, type StepProps } from "./form.ts";

/** Sends the message to one phone, merged for the first person of the file. */
export function TestSend(props: StepProps) {
  const { form } = props;
  const [to, setTo] = useState("");
  const [first] = form.table?.rows ?? [];
  const merged = form.audience === "file" && first ? mergedRow(form, first) : null;
  const body = merged?.ok ? merged.text : form.body;
  const send = useAct(
    (_: undefined, { api, idempotencyKey }) =>
      api.messages.send({ to, from: form.from, body }, { idempotencyKey }),
    { stale: ["messages"], onDone: () => toast(`A test was sent to ${to}.`) },
  );
  const isReady = to.trim() !== "" && form.from !== "" && body.trim() !== "";
  return (
    <div className="stack-tight">
      <TextField
        label="Send a test to"
        optional
        type="tel"
        placeholder="(415) 555-0123"
        help={
          form.audience === "file"
            ? "With the values of the first person."
            : "Variables are not filled in."
        }
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
          onClick={() => send.mutate(undefined)}
        >
          Send test
        </Button>
      </div>
    </div>
  );
}
