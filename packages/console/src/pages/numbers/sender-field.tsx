import { useEffect } from "react";
import { useRead } from "../../api/queries.ts";
import { SelectField } from "../../ui/field.tsx";
import { formatPhone } from "../../ui/format.ts";
import { usePoolChoices } from "../pools/use-pool-choices.ts";

const CHOICES_MAX = 100;

/** Choice of a sender: numbers of this mode, and pools. */
export function SenderField(props: {
  value: string;
  onChange: (value: string) => void;
  error?: string | null;
  numbersOnly?: boolean;
}) {
  const { value, onChange } = props;
  const numbers = useRead(["numbers", "choices"], (api, signal) =>
    api.numbers.list({ limit: CHOICES_MAX }, { signal }),
  );
  const pools = usePoolChoices(props.numbersOnly !== true);
  const choices = [
    ...(numbers.data?.data ?? []).map((number) => ({
      value: number.phone_number,
      label: number.label
        ? `${formatPhone(number.phone_number)} · ${number.label}`
        : formatPhone(number.phone_number),
    })),
    ...pools.map(({ value: id, label: name }) => ({ value: id, label: `Pool: ${name}` })),
  ];
  const first = choices[0]?.value;
  useEffect(() => {
    if (value === "" && first !== undefined) onChange(first);
  }, [value, first, onChange]);
  return (
    <SelectField
      label="From"
      required
      value={value}
      choices={choices}
      blank={choices.length === 0 ? "No number of this mode yet" : (undefined as never)}
      error={props.error}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
