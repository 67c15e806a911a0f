import type { PhoneNumber } from "@longwave/sdk";
import { useState } from "react";
import { useHasRole } from "../../api/account.tsx";
import { useAct, useRead } from "../../api/queries.ts";
import { Button } from "../../ui/button.tsx";
import { errorAt, errorBeside, SelectField, TextField } from "../../ui/field.tsx";
import { Card } from "../../ui/page.tsx";
import { ErrorBox } from "../../ui/problem.tsx";
import { toast } from "../../ui/toast.tsx";

const METHODS = ["POST", "GET"].map((value) => ({ value, label: value }));

/** Address for inbound messages of programs written for Twilio; nothing while the server calls none. */
export function SmsUrlCard(props: { number: PhoneNumber }) {
  const { number } = props;
  const mayEdit = useHasRole("member");
  const account = useRead(["account"], (api, signal) => api.account.get({ signal }));
  const [url, setUrl] = useState(number.sms_url ?? "");
  const [method, setMethod] = useState(number.sms_method);
  const save = useAct(
    (_: undefined, { api }) =>
      api.numbers.update(number.phone_number, {
        customer_id: number.customer_id,
        sms_url: url.trim() || null,
        sms_method: method,
      }),
    { stale: ["numbers", "number"], onDone: () => toast("Saved.") },
  );
  const isServed = (account.data?.twilio_account_sid ?? null) !== null;
  if (!isServed || !mayEdit || number.status === "released") return null;
  return (
    <Card title="Programs written for Twilio">
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate(undefined);
        }}
      >
        <TextField
          label="SMS URL"
          optional
          help="Gets each inbound message as Twilio's form, and may answer with TwiML."
          value={url}
          error={errorAt(save.error, "sms_url")}
          onChange={(event) => setUrl(event.target.value)}
        />
        <SelectField
          label="Method"
          value={method}
          choices={METHODS}
          error={errorAt(save.error, "sms_method")}
          onChange={(event) => setMethod(event.target.value as PhoneNumber["sms_method"])}
        />
        {errorBeside(save.error, ["sms_url", "sms_method"]) !== null && (
          <ErrorBox error={save.error} />
        )}
        <div className="row">
          <Button type="submit" busy={save.isPending}>
            Save the URL
          </Button>
        </div>
      </form>
    </Card>
  );
}
