/** Fields of a contact that fill merge variables. */
export interface VariableSource {
  readonly name: string | null;
  readonly email: string | null;
  readonly company: string | null;
  /** Null instead of an empty object. */
  readonly attributes: Readonly<Record<string, string>> | null;
}

/** Merge variables that every contact may have; its attributes are variables, too. */
export const CONTACT_VARIABLES = ["first_name", "name", "email", "company"] as const;

/** Merge variables of a contact: its own fields, and its attributes by name. Own fields win. */
export function contactVariables(contact: VariableSource): Record<string, string> {
  const variables: Record<string, string> = { ...contact.attributes };
  for (const name of CONTACT_VARIABLES) {
    const value = contactVariable(contact, name);
    if (value !== undefined) variables[name] = value;
  }
  return variables;
}

/** One merge variable. Cheaper than `contactVariables` for batches, whose body uses few variables. */
export function contactVariable(contact: VariableSource, name: string): string | undefined {
  const own = ownField(contact, name);
  if (own) return own;
  const { attributes } = contact;
  return attributes !== null && Object.hasOwn(attributes, name) ? attributes[name] : undefined;
}

function ownField(contact: VariableSource, name: string): string | null | undefined {
  switch (name) {
    case "name":
    case "email":
    case "company":
      return contact[name];
    case "first_name":
      return contact.name?.split(/\s+/, 1)[0];
    default:
      return null;
  }
}
