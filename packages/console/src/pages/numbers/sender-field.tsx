import { useEffect } from "react";
import { useRead } from "../../api/queries.ts";
import { SelectField } from "../../ui/field.tsx";
import { formatPhone } from "../../ui/format.ts";
import { usePoolChoices } from "../pools/use-pool-choices.ts";

const CHOICES_MAX = 100;

/**
 * Choice of a sender: numbers of this mode, and pools. `isChosen` is false where the field itself fills
 * in the first one.
 */
export function SenderField(props: {
  value: string;
  onChange: (value: string, isChosen: boolean) => void;
  error?: string | null;
  numbersOnly?: boolean;
}) {
  const { value, onChange } = props;
  const numbers = useRead(["numbers", "choices"], (api, signal) =>
    api.numbers.list({ limit: CHOICES_MAX }, { signal }),
  );
  const pools = usePoolChoices(props.numbersOnly !== true);
  const offered = [
    ...(numbers.data?.data ?? []).map((number) => ({
      value: number.phone_number,
      label: number.label
        ? `${formatPhone(number.phone_number)} · ${number.label}`
        : formatPhone(number.phone_number),
    })),
    ...pools.map(({ value: id, label: name }) => ({ value: id, label: `Pool: ${name}` })),
  ];
  const first = offered[0]?.value;
  const isOffered = !value.startsWith("+") || offered.some((choice) => choice.value === value);
  // A number beyond the first hundred; without it, the field would show another one.
  const choices = isOffered ? offered : [{ value, label: formatPhone(value) }, ...offered];
  useEffect(() => {
    if (value === "" && first !== undefined) onChange(first, false);
  }, [value, first, onChange]);
  return (
    <SelectField
      label="From"
      required
      value={value}
      choices={choices}
      blank={choices.length === 0 ? "No number of this mode yet" : (undefined as never)}
      error={props.error}
      onChange={(event) => onChange(event.target.value, true)}
    />
  );
}
