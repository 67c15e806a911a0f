import { useContactName } from "../api/names.ts";
import { formatPhone } from "./format.ts";

/** A person: the contact's name with the phone beneath it, or the phone alone. */
export function Person(props: { phone: string; name?: string | null | undefined }) {
  const phone = formatPhone(props.phone);
  if (!props.name) return <span className="nowrap">{phone}</span>;
  return (
    <span className="person">
      <span className="cut">{props.name}</span>
      <span className="meta nowrap">{phone}</span>
    </span>
  );
}

/** The person with this phone number, named like the account's contact. */
export function NamedPerson(props: { phone: string }) {
  return <Person phone={props.phone} name={useContactName(props.phone)} />;
}
