import { normalizePhone } from "@longwave/contract/tables";
import type { Contact } from "@longwave/sdk";
import { useEffect, useRef } from "react";
import { useContactName } from "../../api/names.ts";
import { useRead } from "../../api/queries.ts";
import { Combobox } from "../../ui/combobox.tsx";
import { Field } from "../../ui/field.tsx";
import { Person } from "../../ui/person.tsx";
import { usePaused } from "../../ui/use-pause.ts";

const CHOICES_MAX = 6;
/** A name, as opposed to a phone number. */
const LETTERS = /\p{L}/u;

/** Phone number of a recipient. Letters search the contacts by name, email and company. */
export function RecipientField(props: {
  value: string;
  error: string | null;
  onChange: (value: string) => void;
}) {
  const { value, onChange } = props;
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus({ preventScroll: true }), []);
  const name = useContactName(normalizePhone(value) ?? "");
  const found = useContacts(value.trim());
  return (
    <Field label="To" error={props.error} help={name ?? undefined}>
      {(control) => (
        <Combobox
          {...control}
          inputRef={(element) => {
            input.current = element;
          }}
          listLabel="Contacts"
          required
          placeholder="Name or phone number"
          value={value}
          choices={found.map((contact) => ({
            key: contact.phone_number,
            label: <Person phone={contact.phone_number} name={contact.name ?? contact.email} />,
          }))}
          onType={onChange}
          onPick={({ key }) => onChange(key)}
        />
      )}
    </Field>
  );
}

/** Contacts that match what was typed, once typing pauses. */
function useContacts(text: string): readonly Contact[] {
  const q = usePaused(text);
  const isName = q !== null && LETTERS.test(q);
  const read = useRead(
    ["contacts", "pick", q],
    (api, signal) => api.contacts.list({ q: q ?? "", limit: CHOICES_MAX }, { signal }),
    { enabled: isName },
  );
  return isName ? (read.data?.data ?? []) : [];
}

/** The number of ours in the newest message to or from a phone; null without one. */
export function useLastSender(to: string): string | null {
  const phone = normalizePhone(to);
  const read = useRead(
    ["thread", phone, "newest"],
    (api, signal) => api.messages.list({ number: phone ?? "", limit: 1 }, { signal }),
    { enabled: phone !== null },
  );
  const [newest] = read.data?.data ?? [];
  if (phone === null || !newest) return null;
  return newest.direction === "outbound" ? newest.from : newest.to;
}
