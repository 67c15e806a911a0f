/** Constraints of a form control that the browser checks before a submit. */
export interface CheckedControl {
  readonly validity: Partial<ValidityState>;
  readonly type: string;
  readonly min?: string;
  readonly max?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
}

const NOUNS: Readonly<Record<string, string>> = {
  email: "Enter an email address, such as ada@example.com.",
  url: "Enter a web address that begins with https://.",
};

/** The browser's objection to a value, in words that stand beside the field. */
export function validityWords(control: CheckedControl): string {
  const { validity, type, min, max, minLength, maxLength } = control;
  if (validity.valueMissing) return type === "select-one" ? "Choose one." : "Fill this in.";
  if (validity.typeMismatch) return NOUNS[type] ?? "This value has another form.";
  if (validity.badInput) return type === "number" ? "Enter a number." : "Enter a full date and time.";
  if (validity.tooShort) return `Enter at least ${minLength} characters.`;
  if (validity.tooLong) return `Enter at most ${maxLength} characters.`;
  const isDate = type.startsWith("date") || type === "time" || type === "month";
  if (validity.rangeUnderflow) return isDate ? `Not before ${min}.` : `Enter ${min} or more.`;
  if (validity.rangeOverflow) return isDate ? `Not after ${max}.` : `Enter ${max} or less.`;
  if (validity.stepMismatch) return "Enter a whole number.";
  return "This value has another form.";
}
