import {
  type BrandField,
  SAMPLE_CHARS_MAX,
  SAMPLES_MAX,
  SAMPLES_MIN,
  TOLL_FREE_VOLUMES,
  type TollFreeField,
} from "@longwave/contract/tables";
import { Button } from "../../ui/button.tsx";
import { AreaField, CheckField, errorAt, SelectField, TextField } from "../../ui/field.tsx";
import { Note } from "../../ui/problem.tsx";
import type { RegistrationForm } from "./form.ts";
import { TOLL_FREE_WORDS } from "./toll-free-words.ts";
import { ENTITY_CHOICES, KIND_CHOICES, USE_CASE_CHOICES } from "./words.ts";

interface FieldsProps {
  readonly form: RegistrationForm;
  readonly set: (change: Partial<RegistrationForm>) => void;
  readonly error: unknown;
}

export function BusinessFields({ form, set, error }: FieldsProps) {
  const text = (name: "business_name" | "support_email", label: string, help: string) => (
    <TextField
      label={label}
      help={help}
      required={name === "business_name"}
      optional={name !== "business_name"}
      value={form[name]}
      error={errorAt(error, name)}
      onChange={(event) => set({ [name]: event.target.value })}
    />
  );
  return (
    <>
      {text("business_name", "Business name", "As people know it; the website must show it.")}
      <SelectField
        label="Use case"
        required
        {...(form.use_case === "" && { blank: "Choose one" })}
        value={form.use_case}
        choices={USE_CASE_CHOICES}
        error={errorAt(error, "use_case")}
        onChange={(event) => set({ use_case: event.target.value })}
      />
      <AreaField
        label="Campaign description"
        optional
        rows={3}
        help="40 to 500 characters. Left empty, a description is written for you."
        value={form.description}
        error={errorAt(error, "description")}
        onChange={(event) => set({ description: event.target.value })}
      />
      {text("support_email", "Support email", "Named in the reply to HELP.")}
    </>
  );
}

export function PageFields({ form, set, error }: FieldsProps) {
  const url = (name: "opt_in_url" | "privacy_url" | "terms_url", label: string, help: string) => (
    <TextField
      label={label}
      optional
      type="url"
      inputMode="url"
      help={help}
      value={form[name]}
      error={errorAt(error, name)}
      onChange={(event) => set({ [name]: event.target.value })}
    />
  );
  return (
    <>
      {url("opt_in_url", "Opt-in page", "The page on which people enter their number.")}
      {url("privacy_url", "Privacy policy", "Found by the links of the homepage when left out.")}
      {url("terms_url", "Terms", "Found by the links of the homepage when left out.")}
    </>
  );
}

export function SampleFields({ form, set, error }: FieldsProps) {
  const change = (at: number, value: string) =>
    set({ samples: form.samples.map((each, index) => (index === at ? value : each)) });
  const hasDrafts = form.samples.some((sample) => form.drafts.includes(sample.trim()));
  return (
    <>
      {hasDrafts && (
        <Note tone="amber">
          These examples are drafts. Replace them with messages that the business really sends:
          reviewers reject invented ones.
        </Note>
      )}
      {form.samples.map((sample, index) => (
        <AreaField
          // biome-ignore lint/suspicious/noArrayIndexKey: sample messages have no other key than their position
          key={index}
          label={`Example ${index + 1}`}
          rows={2}
          maxLength={SAMPLE_CHARS_MAX}
          value={sample}
          error={
            errorAt(error, `sample_messages[${index}]`) ??
            (index === 0 ? errorAt(error, "sample_messages") : null)
          }
          aside={
            form.samples.length > SAMPLES_MIN && (
              <Button
                kind="ghost"
                size="small"
                icon="x"
                aria-label={`Remove example ${index + 1}`}
                onClick={() => set({ samples: form.samples.filter((_, at) => at !== index) })}
              />
            )
          }
          onChange={(event) => change(index, event.target.value)}
        />
      ))}
      {form.samples.length < SAMPLES_MAX && (
        <div className="row">
          <Button size="small" icon="plus" onClick={() => set({ samples: [...form.samples, ""] })}>
            Another example
          </Button>
        </div>
      )}
      {hasDrafts && (
        <CheckField
          label="We send messages like these drafts"
          help="Drafts that are neither confirmed nor replaced are left out."
          checked={form.areDraftsConfirmed}
          onChange={(areDraftsConfirmed) => set({ areDraftsConfirmed })}
        />
      )}
    </>
  );
}

// biome-ignore format: one field per line, read as a table
const BRAND_WORDS: readonly (readonly [BrandField, string, string])[] = [
  ["legal_name",    "Legal name",    "As on the letter of the tax office."],
  ["ein",           "Tax number",    "EIN, nine digits."],
  ["street",        "Street",        "No post office box."],
  ["city",          "City",          ""],
  ["state",         "State",         "Two letters."],
  ["postal_code",   "Postal code",   ""],
  ["country",       "Country",       "Two letters, such as US."],
  ["vertical",      "Line of business", "Healthcare, retail, …"],
  ["contact_email", "Contact email", "On the domain of the website."],
  ["contact_phone", "Contact phone", "Of somebody who answers for the business."],
];

export function BrandFields({ form, set, error }: FieldsProps) {
  const change = (name: BrandField, value: string) =>
    set({ brand: { ...form.brand, [name]: value } });
  return (
    <div className="field-grid">
      <SelectField
        label="Kind of organization"
        blank="Not specified"
        value={form.brand.entity_type}
        choices={ENTITY_CHOICES}
        onChange={(event) => change("entity_type", event.target.value)}
      />
      {BRAND_WORDS.map(([name, label, help]) => (
        <TextField
          key={name}
          label={label}
          help={help || undefined}
          value={form.brand[name]}
          error={errorAt(error, `brand.${name}`)}
          onChange={(event) => change(name, event.target.value)}
        />
      ))}
    </div>
  );
}

/** Choice of the numbers that a new registration is for. */
export function KindField({ form, set, error }: FieldsProps) {
  return (
    <SelectField
      label="Numbers"
      value={form.kind}
      choices={KIND_CHOICES}
      error={errorAt(error, "kind")}
      onChange={(event) => set({ kind: event.target.value })}
    />
  );
}

const VOLUME_CHOICES = TOLL_FREE_VOLUMES.map((value) => ({ value, label: value }));

/** Fields that only toll-free verification asks. */
export function TollFreeFields({ form, set, error }: FieldsProps) {
  if (form.kind !== "toll_free") return null;
  const change = (name: TollFreeField, value: string) =>
    set({ tollFree: { ...form.tollFree, [name]: value } });
  const problem = (name: TollFreeField) => errorAt(error, `toll_free.${name}`);
  return (
    <>
      <div className="field-grid">
        {TOLL_FREE_WORDS.map(([name, label, help]) => (
          <TextField
            key={name}
            label={label}
            help={help || undefined}
            value={form.tollFree[name]}
            error={problem(name)}
            onChange={(event) => change(name, event.target.value)}
          />
        ))}
        <SelectField
          label="Messages a month"
          blank="Not specified"
          value={form.tollFree.monthly_volume}
          choices={VOLUME_CHOICES}
          error={problem("monthly_volume")}
          onChange={(event) => change("monthly_volume", event.target.value)}
        />
      </div>
      <AreaField
        label="Pictures of the opt-in"
        rows={2}
        help="Public addresses, one per line, that show how people agree."
        value={form.tollFree.opt_in_image_urls}
        error={problem("opt_in_image_urls") ?? errorAt(error, "toll_free.opt_in_image_urls[0]")}
        onChange={(event) => change("opt_in_image_urls", event.target.value)}
      />
    </>
  );
}

// biome-ignore format: one field per line, read as a table
const REGISTRY_ID_WORDS = [
  ["campaign_id", "Approved campaign", "Id of a campaign that carriers approved elsewhere, such as CABC123. The operator approves the registration by it; save it as a draft."],
  ["brand_id",    "Registered brand",  "Id of the brand with the registry, if it has one."],
  ["reseller_id", "Reseller",          "Id of the reseller with the registry, if the business is the customer of one."],
] as const;

/** Ids that the registry gave before this registration. */
export function RegistryIdFields({ form, set, error }: FieldsProps) {
  return REGISTRY_ID_WORDS.map(([name, label, help]) => (
    <TextField
      key={name}
      label={label}
      help={help}
      optional
      value={form[name]}
      error={errorAt(error, name)}
      onChange={(event) => set({ [name]: event.target.value })}
    />
  ));
}
