import { useRead } from "../../api/queries.ts";
import { CheckField } from "../../ui/field.tsx";
import { formatPhone } from "../../ui/format.ts";

const CHOICES_MAX = 100;

/**
 * Choice of members among the account's numbers of this mode. Members of the other mode stay in
 * `value`.
 */
export function MembersField(props: {
  value: readonly string[];
  onChange: (numbers: readonly string[]) => void;
}) {
  const { value, onChange } = props;
  const numbers = useRead(["numbers", "members"], (api, signal) =>
    api.numbers.list({ limit: CHOICES_MAX }, { signal }),
  );
  const toggle = (phone: string, isMember: boolean) =>
    onChange(isMember ? [...value, phone] : value.filter((each) => each !== phone));
  return (
    <fieldset className="field" style={{ border: 0, margin: 0, padding: 0 }}>
      <legend className="field-label" style={{ padding: 0, marginBottom: 6 }}>
        Members
      </legend>
      {(numbers.data?.data ?? []).map((number) => (
        <CheckField
          key={number.phone_number}
          label={formatPhone(number.phone_number)}
          help={number.label ?? undefined}
          checked={value.includes(number.phone_number)}
          onChange={(isMember) => toggle(number.phone_number, isMember)}
        />
      ))}
    </fieldset>
  );
}
