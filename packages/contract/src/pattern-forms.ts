import { NOT_BLANK_PATTERN, SINGLE_LINE_PATTERN } from "./fields.ts";
import { CONTACT_EMAIL_PATTERN } from "./schemas/contact.ts";
import { TIME_OF_DAY_PATTERN } from "./schemas/quiet-hours.ts";
import { SUPPORT_EMAIL_PATTERN } from "./schemas/registration.ts";

const EMAIL_FORM = "an email address such as ada@example.com";

/** Error sentence for each pattern. Without an entry the field's description serves. */
export const PATTERN_FORMS: Readonly<Record<string, string>> = {
  [SINGLE_LINE_PATTERN]: "on one line, without control characters",
  [NOT_BLANK_PATTERN]: "a text that is not blank",
  [CONTACT_EMAIL_PATTERN]: EMAIL_FORM,
  [SUPPORT_EMAIL_PATTERN]: EMAIL_FORM,
  [TIME_OF_DAY_PATTERN]: "a time of day such as 21:00",
};
