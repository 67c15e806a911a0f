import type { CarrierLink, ProviderNumber } from "@longwave/sdk";
import { type FormEvent, useState } from "react";
import { useAct, useRead } from "../../api/queries.ts";
import { Loaded } from "../../lists/loaded.tsx";
import { Button } from "../../ui/button.tsx";
import { CheckField, errorAt, errorBeside, SelectField, TextField } from "../../ui/field.tsx";
import { formatPhone, plural } from "../../ui/format.ts";
import { Card } from "../../ui/page.tsx";
import { ErrorBox, Note } from "../../ui/problem.tsx";
import { toast } from "../../ui/toast.tsx";

const ACCOUNTS_MAX = 100;

/** Numbers at the provider, to be taken over as registered elsewhere. */
export function ProviderNumbersCard({ link }: { link: CarrierLink }) {
  const held = useRead(["op-provider-numbers", link.name], (api, signal) =>
    api.operator.carriers.numbers(link.name, { signal }),
  );
  return (
    <Card
      title="Numbers at the provider"
      foot="A number that is taken over becomes a live number of the account, registered elsewhere. It can text at once."
    >
      <Loaded query={held}>
        {({ readable, numbers }) => <TakeNumbers link={link} listed={readable ? numbers : null} />}
      </Loaded>
    </Card>
  );
}

/** `listed` is null where the provider's list cannot be read: the operator names the numbers. */
function TakeNumbers(props: { link: CarrierLink; listed: readonly ProviderNumber[] | null }) {
  const { link, listed } = props;
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [typed, setTyped] = useState("");
  const [accountId, setAccountId] = useState("");
  const [reference, setReference] = useState("");
  const accounts = useRead(["op-accounts", "choices"], (api, signal) =>
    api.operator.accounts.list({ limit: ACCOUNTS_MAX, status: "active" }, { signal }),
  );
  const numbers = listed === null ? typed.split(/[\s,;]+/).filter(Boolean) : chosen;
  const only = accounts.data?.data.length === 1 ? accounts.data.data[0]?.id : undefined;
  const account = accountId || only || "";
  const take = useAct(
    (_: undefined, { api, idempotencyKey }) =>
      api.operator.carriers.takeNumbers(
        link.name,
        {
          account_id: account,
          phone_numbers: [...numbers],
          ...(reference.trim() === "" ? {} : { reference: reference.trim() }),
        },
        { idempotencyKey },
      ),
    {
      stale: ["op-provider-numbers", "op-carriers"],
      onDone: ({ numbers: taken }) => {
        toast(`${plural(taken.length, "number")} taken over.`);
        setChosen([]);
        setTyped("");
      },
    },
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    take.mutate(undefined);
  };
  const toggle = (phone: string, isOn: boolean) =>
    setChosen(isOn ? [...chosen, phone] : chosen.filter((each) => each !== phone));
  const beside = errorBeside(take.error, ["account_id", "reference"]);
  return (
    <form className="stack" onSubmit={submit}>
      {listed === null ? (
        <TextField
          label="Numbers that you hold there"
          required
          placeholder="+14155550123, +14155550124"
          help="The provider's list cannot be read here."
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
      ) : (
        <Listed numbers={listed} link={link} chosen={chosen} onToggle={toggle} />
      )}
      <SelectField
        label="Account that gets them"
        required
        value={account}
        blank="Choose one"
        choices={(accounts.data?.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
        error={errorAt(take.error, "account_id")}
        onChange={(event) => setAccountId(event.target.value)}
      />
      <TextField
        label="Campaign or verification"
        optional
        placeholder="CMP-4711"
        help="Of the numbers at the provider. Without it, the carrier's name."
        value={reference}
        error={errorAt(take.error, "reference")}
        onChange={(event) => setReference(event.target.value)}
      />
      {beside !== null && <ErrorBox error={beside} />}
      <div className="row">
        <Button
          type="submit"
          kind="primary"
          busy={take.isPending}
          disabled={numbers.length === 0 || account === ""}
        >
          {numbers.length === 0
            ? "Take numbers over"
            : `Take ${plural(numbers.length, "number")} over`}
        </Button>
      </div>
    </form>
  );
}

function Listed(props: {
  numbers: readonly ProviderNumber[];
  link: CarrierLink;
  chosen: readonly string[];
  onToggle: (phone: string, isOn: boolean) => void;
}) {
  const { numbers, link } = props;
  if (numbers.length === 0) {
    return (
      <Note tone="amber">The provider lists no numbers. Buy one there, then reload this page.</Note>
    );
  }
  const isServed = (phone: string) => link.numbers === "*" || link.numbers.includes(phone);
  return (
    <fieldset className="stack-tight" style={{ border: 0, margin: 0, padding: 0 }}>
      <legend className="field-label" style={{ padding: 0, marginBottom: 6 }}>
        Numbers
      </legend>
      <div className="stack-tight" style={{ maxHeight: 320, overflow: "auto" }}>
        {numbers.map(({ phone_number: phone, reason, account_id }) => {
          const isHere = account_id !== null && isServed(phone);
          return (
            <CheckField
              key={phone}
              label={formatPhone(phone)}
              help={isHere ? "Taken over." : (reason ?? undefined)}
              checked={props.chosen.includes(phone)}
              // The account that holds a number may have it served by this carrier, too.
              disabled={isHere || (reason !== null && account_id === null)}
              onChange={(isOn) => props.onToggle(phone, isOn)}
            />
          );
        })}
      </div>
    </fieldset>
  );
}
