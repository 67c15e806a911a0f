import { normalizePhone } from "@longwave/contract/tables";
import type { Contact } from "@longwave/sdk";
import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { useContactName } from "../../api/names.ts";
import { useRead } from "../../api/queries.ts";
import { Field } from "../../ui/field.tsx";
import { Person } from "../../ui/person.tsx";

const CHOICES_MAX = 6;
const SEARCH_AFTER_MS = 200;
/** A name, as opposed to a phone number. */
const LETTERS = /\p{L}/u;

/** Phone number of a recipient. Letters search the contacts by name, email and company. */
export function RecipientField(props: {
  value: string;
  error: string | null;
  onChange: (value: string) => void;
}) {
  const { value, onChange } = props;
  const listId = useId();
  const [at, setAt] = useState(0);
  const [isOpen, setIsOpen] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus({ preventScroll: true }), []);
  const name = useContactName(normalizePhone(value) ?? "");
  const found = useContacts(value.trim());
  const choices = isOpen ? found : [];
  const pick = (contact: Contact | undefined) => {
    if (!contact) return;
    onChange(contact.phone_number);
    setIsOpen(false);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (choices.length === 0) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Enter") pick(choices[at]);
    else if (event.key === "Escape") setIsOpen(false);
    else if (step !== undefined) setAt((at + step + choices.length) % choices.length);
    else return;
    event.preventDefault();
  };
  return (
    <Field label="To" error={props.error} help={name ?? undefined}>
      {(control) => (
        <div className="picker">
          <input
            {...control}
            ref={input}
            className="input"
            type="text"
            role="combobox"
            aria-expanded={choices.length > 0}
            aria-controls={listId}
            aria-activedescendant={choices[at] ? `${listId}-${at}` : undefined}
            autoComplete="off"
            required
            placeholder="Name or phone number"
            value={value}
            onKeyDown={onKeyDown}
            onBlur={() => setIsOpen(false)}
            onChange={(event) => {
              onChange(event.target.value);
              setAt(0);
              setIsOpen(true);
            }}
          />
          <div
            className="picker-list"
            role="listbox"
            id={listId}
            aria-label="Contacts"
            tabIndex={-1}
          >
            {choices.map((contact, index) => (
              <div
                key={contact.id}
                id={`${listId}-${index}`}
                role="option"
                tabIndex={-1}
                className="palette-item"
                aria-selected={index === at}
                onMouseMove={() => setAt(index)}
                // A click would move the focus away first, which closes the list.
                onMouseDown={(event) => event.preventDefault()}
                onClick={() => pick(contact)}
                onKeyDown={() => {}}
              >
                <Person phone={contact.phone_number} name={contact.name ?? contact.email} />
              </div>
            ))}
          </div>
        </div>
      )}
    </Field>
  );
}

/** Contacts that match what was typed, once typing pauses. */
function useContacts(text: string): readonly Contact[] {
  const [debounced, setDebounced] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(text), SEARCH_AFTER_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const isName = LETTERS.test(debounced);
  const read = useRead(
    ["contacts", "pick", debounced],
    (api, signal) => api.contacts.list({ q: debounced, limit: CHOICES_MAX }, { signal }),
    { enabled: isName },
  );
  return isName && debounced === text ? (read.data?.data ?? []) : [];
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
