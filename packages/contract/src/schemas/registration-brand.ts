/** Data about the organisation behind a registration. */
import { type Static, type TSchema, Type } from "typebox";
import {
  BRAND_ENTITY_TYPES,
  type BrandField,
  TOLL_FREE_VOLUMES,
  type TollFreeField,
} from "../enums.ts";
import { Nullable, SingleLine, StringEnum } from "../fields.ts";
import { OPT_IN_IMAGES_MAX, REGISTRY_ID_CHARS_MAX, WEBSITE_URL_CHARS_MAX } from "../limits.ts";

const brandText = (description: string) =>
  Type.Optional(Nullable(SingleLine({ maxLength: 200 }), { description }));

export const Brand = Type.Object(
  {
    legal_name: brandText("Legal name, as on the letter of the tax office."),
    entity_type: Type.Optional(
      Nullable(StringEnum(BRAND_ENTITY_TYPES), { description: "Legal form of the organisation." }),
    ),
    ein: brandText("The tax number, nine digits."),
    street: brandText("Street and house number; registries refuse a post office box."),
    city: brandText("The city of the registered address."),
    state: brandText("State or province, two letters."),
    postal_code: brandText("The ZIP or postal code."),
    country: brandText("ISO 3166, two letters."),
    vertical: brandText("The line of business."),
    contact_email: brandText(
      "Email address of the brand's contact person, on the domain of the website.",
    ),
    contact_phone: brandText("Phone number of the brand's contact person."),
  } satisfies Record<BrandField, TSchema>,
  { additionalProperties: false },
);
export type Brand = Static<typeof Brand>;

export const TollFree = Type.Object(
  {
    business_registration_number: brandText(
      "Number under which the business is registered, such as its EIN or Canadian business number. Carriers require it since 17 February 2026.",
    ),
    business_registration_type: brandText(
      "Kind of that number: EIN, CBN, CRN, VAT, ABN or another register's own word.",
    ),
    business_registration_country: brandText("Country of the register, ISO 3166, two letters."),
    monthly_volume: Type.Optional(
      Nullable(StringEnum(TOLL_FREE_VOLUMES), {
        description: "Messages a month that the business expects to send, rounded up.",
      }),
    ),
    contact_first_name: brandText("First name of the person whom reviewers may ask."),
    contact_last_name: brandText("Last name of the person whom reviewers may ask."),
    opt_in_image_urls: Type.Optional(
      Nullable(
        Type.Array(Type.String({ minLength: 1, maxLength: WEBSITE_URL_CHARS_MAX }), {
          maxItems: OPT_IN_IMAGES_MAX,
        }),
        { description: "Public addresses of pictures that show how people agree." },
      ),
    ),
  } satisfies Record<TollFreeField, TSchema>,
  { additionalProperties: false },
);
export type TollFree = Static<typeof TollFree>;

const registryId = SingleLine({ minLength: 1, maxLength: REGISTRY_ID_CHARS_MAX });

/** Ids of the campaign with the registry; the operator's approval takes them as well. */
export const registryIds = {
  campaign_id: Type.Optional(
    Nullable(registryId, {
      description:
        "Id of a campaign (TCR) or verification that is approved elsewhere: the operator approves the registration by it, and nothing is filed.",
    }),
  ),
  brand_id: Type.Optional(
    Nullable(registryId, {
      description: "Id of the brand with the registry, where one is registered already.",
    }),
  ),
};

export const resellerId = {
  reseller_id: Type.Optional(
    Nullable(registryId, {
      description:
        "Id of the reseller with the registry, where the business is the customer of one. Registries require it of campaigns that are sold on.",
    }),
  ),
};
