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
