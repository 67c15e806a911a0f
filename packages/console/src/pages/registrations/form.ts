import {
  BRAND_FIELDS,
  type BrandField,
  SAMPLES_MAX,
  TOLL_FREE_FIELDS,
  type TollFreeField,
} from "@longwave/contract/tables";
import type {
  Registration,
  RegistrationPrefill,
  RegistrationsCreateBody,
  RegistrationsRecheckBody,
} from "@longwave/sdk";

/** Draft of a registration. Every field is a string, empty where unknown. */
export interface RegistrationForm {
  readonly business_name: string;
  readonly website: string;
  readonly use_case: string;
  readonly opt_in_url: string;
  readonly privacy_url: string;
  readonly terms_url: string;
  readonly support_email: string;
  readonly description: string;
  readonly samples: readonly string[];
  /** Drafts of the service among the examples. Unchanged, they are not the business's own. */
  readonly drafts: readonly string[];
  /** The person says that the drafts are messages that the business sends. */
  readonly areDraftsConfirmed: boolean;
  readonly brand: Readonly<Record<BrandField, string>>;
  readonly kind: string;
  /** Fields of toll-free verification; pictures one address per line. */
  readonly tollFree: Readonly<Record<TollFreeField, string>>;
  /** Ids with the registry, where there are some already. */
  readonly campaign_id: string;
  readonly brand_id: string;
  readonly reseller_id: string;
}

const NO_BRAND = Object.fromEntries(BRAND_FIELDS.map((name) => [name, ""])) as Record<
  BrandField,
  string
>;

const NO_TOLL_FREE = Object.fromEntries(TOLL_FREE_FIELDS.map((name) => [name, ""])) as Record<
  TollFreeField,
  string
>;

export const EMPTY_REGISTRATION: RegistrationForm = {
  business_name: "",
  website: "",
  // Nobody texts for "several of these" by default: carriers price and review it differently.
  use_case: "",
  opt_in_url: "",
  privacy_url: "",
  terms_url: "",
  support_email: "",
  description: "",
  samples: ["", ""],
  drafts: [],
  areDraftsConfirmed: false,
  brand: NO_BRAND,
  kind: "campaign",
  tollFree: NO_TOLL_FREE,
  campaign_id: "",
  brand_id: "",
  reseller_id: "",
};

/** Fills empty fields from the website; typed values stay. */
export function prefilled(
  form: RegistrationForm,
  { fields }: RegistrationPrefill,
): RegistrationForm {
  const typed = form.samples.some((sample) => sample.trim() !== "");
  return {
    ...form,
    business_name: form.business_name || fields.business_name,
    opt_in_url: form.opt_in_url || (fields.opt_in_url ?? ""),
    privacy_url: form.privacy_url || (fields.privacy_url ?? ""),
    terms_url: form.terms_url || (fields.terms_url ?? ""),
    support_email: form.support_email || (fields.support_email ?? ""),
    ...(typed ? {} : draftsOf(fields.sample_messages)),
  };
}

function draftsOf(messages: readonly string[]): Pick<RegistrationForm, "samples" | "drafts"> {
  const drafts = messages.slice(0, SAMPLES_MAX);
  return { samples: drafts, drafts };
}

export function formOf(registration: Registration): RegistrationForm {
  const brand = registration.brand as Readonly<Record<string, string | null | undefined>>;
  return {
    business_name: registration.business_name,
    website: registration.website,
    use_case: registration.use_case,
    opt_in_url: registration.opt_in_url ?? "",
    privacy_url: registration.privacy_url ?? "",
    terms_url: registration.terms_url ?? "",
    support_email: registration.support_email ?? "",
    description: registration.description ?? "",
    samples: registration.sample_messages,
    drafts: registration.samples_source === "starter" ? registration.sample_messages : [],
    areDraftsConfirmed: false,
    brand: Object.fromEntries(BRAND_FIELDS.map((name) => [name, brand[name] ?? ""])) as Record<
      BrandField,
      string
    >,
    kind: registration.kind,
    tollFree: tollFreeFormOf(registration.toll_free),
    campaign_id: registration.campaign_id ?? "",
    brand_id: registration.brand_id ?? "",
    reseller_id: registration.reseller_id ?? "",
  };
}

function tollFreeFormOf(given: Registration["toll_free"]): RegistrationForm["tollFree"] {
  const text = (value: string | readonly string[] | null | undefined) =>
    typeof value === "string" ? value : (value ?? []).join("\n");
  const entries = TOLL_FREE_FIELDS.map((name) => [name, text(given?.[name])]);
  return Object.fromEntries(entries) as RegistrationForm["tollFree"];
}

/** Examples of the business itself, without drafts that nobody has confirmed. */
function samplesOf(form: RegistrationForm): string[] {
  return form.samples
    .map((sample) => sample.trim())
    .filter(
      (sample) => sample !== "" && (form.areDraftsConfirmed || !form.drafts.includes(sample)),
    );
}

function brandOf(form: RegistrationForm): Record<string, string | null> {
  return Object.fromEntries(BRAND_FIELDS.map((name) => [name, form.brand[name].trim() || null]));
}

function tollFreeOf({ tollFree }: RegistrationForm): RegistrationsCreateBody["toll_free"] {
  const entries = TOLL_FREE_FIELDS.map((name) => {
    const value = tollFree[name].trim();
    if (name !== "opt_in_image_urls") return [name, value || null];
    const lines = value.split(/\s+/).filter((line) => line !== "");
    return [name, lines.length === 0 ? null : lines];
  });
  return Object.fromEntries(entries) as RegistrationsCreateBody["toll_free"];
}

export function createBody(form: RegistrationForm, isDraft: boolean): RegistrationsCreateBody {
  const samples = samplesOf(form);
  return {
    business_name: form.business_name.trim(),
    website: form.website.trim(),
    use_case: form.use_case as RegistrationsCreateBody["use_case"],
    opt_in_url: form.opt_in_url.trim() || null,
    privacy_url: form.privacy_url.trim() || null,
    terms_url: form.terms_url.trim() || null,
    support_email: form.support_email.trim() || null,
    description: form.description.trim() || null,
    // Without examples the server shows its drafts, and the registration is not ready.
    ...(samples.length > 0 ? { sample_messages: samples } : {}),
    brand: brandOf(form) as NonNullable<RegistrationsCreateBody["brand"]>,
    ...(form.kind === "toll_free"
      ? { kind: "toll_free" as const, toll_free: tollFreeOf(form) }
      : {}),
    campaign_id: form.campaign_id.trim() || null,
    brand_id: form.brand_id.trim() || null,
    reseller_id: form.reseller_id.trim() || null,
    ...(isDraft ? { draft: true } : {}),
  };
}

/** Changed fields only: if only the samples change, the server does not read the website again. */
export function recheckBody(
  form: RegistrationForm,
  registration: Registration,
): RegistrationsRecheckBody {
  const { draft: _draft, kind: _kind, ...now } = createBody(form, false);
  const { draft: _before, kind: _same, ...before } = createBody(formOf(registration), false);
  const changed = Object.entries(now).filter(
    ([name, value]) =>
      JSON.stringify(value) !== JSON.stringify(before[name as keyof typeof before]),
  );
  return Object.fromEntries(changed) as RegistrationsRecheckBody;
}
