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

const OTHER = "This value has another form.";

/** The browser's objection to a value, in words that stand beside the field. */
export function validityWords(control: CheckedControl): string {
  const { validity, type, minLength, maxLength } = control;
  if (validity.valueMissing) return type === "select-one" ? "Choose one." : "Fill this in.";
  if (validity.typeMismatch) return NOUNS[type] ?? OTHER;
  if (validity.badInput) return type === "number" ? "Enter a number." : "Enter a whole date.";
  if (validity.tooShort) return `Enter at least ${minLength} characters.`;
  if (validity.tooLong) return `Enter at most ${maxLength} characters.`;
  return rangeWords(control);
}

function rangeWords({ validity, type, min, max }: CheckedControl): string {
  const isNumber = type === "number" || type === "range";
  if (validity.rangeUnderflow) return isNumber ? `Enter ${min} or more.` : `Not before ${min}.`;
  if (validity.rangeOverflow) return isNumber ? `Enter ${max} or less.` : `Not after ${max}.`;
  return validity.stepMismatch ? "Enter a whole number." : OTHER;
}
