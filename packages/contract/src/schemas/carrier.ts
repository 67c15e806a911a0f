import { type Static, Type } from "typebox";
import { CARRIER_TYPES, LINK_STATES } from "../enums.ts";
import { E164, Id, Nullable, Resource, StringEnum, Timestamp } from "../fields.ts";

/** Numbers that a carrier serves. */
export const CarrierNumbers = Type.Unsafe<"*" | string[]>({
  $id: "CarrierNumbers",
  anyOf: [
    { type: "string", enum: ["*"] },
    { type: "array", items: { type: "string" } },
  ],
  description: "The numbers whose texts it carries; `*` is every number.",
});

/** Beginnings of the numbers that a carrier takes messages to. */
export const CarrierDestinations = Type.Unsafe<"*" | string[]>({
  $id: "CarrierDestinations",
  anyOf: [
    { type: "string", enum: ["*"] },
    { type: "array", items: { type: "string" } },
  ],
  description:
    "Beginnings of the numbers that it takes texts to, such as `+44`; `*` is every number. The carrier with the longest one takes the text.",
});

/** One bind of a carrier, in any process. */
export const CarrierBind = Resource(
  "CarrierBind",
  {
    state: StringEnum(LINK_STATES, {
      description:
        "State last reported by its process: `up` is bound. A pair of connections (tx_rx) is one bind.",
    }),
    owner: Nullable(Type.String(), {
      description: "The process that keeps it, as `host:pid`; null when none does.",
    }),
    since: Nullable(Timestamp(), {
      description: "Time since which it is up, or not up: attempts to reconnect do not change it.",
    }),
    in_flight: Type.Integer({ description: "Submits without an answer." }),
    next_try_at: Nullable(Timestamp(), {
      description: "Time of the next reconnect; null while up or connecting.",
    }),
  },
  { description: "One bind of a carrier, whichever process keeps it." },
);
export type CarrierBind = Static<typeof CarrierBind>;

/** Unowned traffic: items from a carrier about numbers that it does not serve. */
export const UnownedTraffic = Resource(
  "UnownedTraffic",
  {
    count: Type.Integer({ description: "Items received so far." }),
    last_at: Nullable(Timestamp(), { description: "Time of the last item." }),
    last_number: Nullable(Type.String(), {
      description: "Your number in the last item, if known.",
    }),
  },
  {
    description:
      "Items from a carrier about numbers that it does not serve: stored, without effect.",
  },
);

/** Carrier connection, as the operator sees it. */
export const CarrierLink = Resource("CarrierLink", {
  object: Type.Literal("carrier"),
  name: Type.String({ description: "Name in the carriers file." }),
  type: StringEnum(CARRIER_TYPES, { description: "Protocol of the carrier." }),
  preset: Nullable(Type.String(), {
    description: "Provider whose preset declares it, such as `telnyx`; null without a preset.",
  }),
  callback_urls: Resource(
    "CarrierCallbackUrls",
    {
      receipts: Nullable(Type.String(), { description: "URL for delivery receipts." }),
      inbound: Nullable(Type.String(), { description: "URL for inbound messages." }),
    },
    {
      description:
        "URLs that the carrier calls; null where it calls none. Only paths while `LONGWAVE_PUBLIC_URL` is not set.",
    },
  ),
  poll_seconds: Nullable(Type.Integer(), {
    description:
      "Seconds between polls of the provider's lists; null if the provider calls the server, or has no receipts and replies.",
  }),
  poll: Nullable(
    Resource(
      "CarrierPoll",
      {
        polled_at: Nullable(Timestamp(), {
          description:
            "Time of the latest poll of the list that waits longest; null before the first.",
        }),
        last_error: Nullable(Type.String(), {
          description:
            "List that the latest poll could not read, and why; null while all are read.",
        }),
      },
      { description: "Latest poll of a carrier's lists, and what it could not read." },
    ),
    { description: "Progress of the polls; null where `poll_seconds` is." },
  ),
  numbers: CarrierNumbers,
  destinations: CarrierDestinations,
  priority: Type.Integer({ description: "The smaller is tried first." }),
  state: StringEnum(LINK_STATES, {
    description: "State of the whole installation: `up` when any of its binds is.",
  }),
  window: Type.Integer({ description: "Submits without an answer that one bind may have." }),
  window_total: Type.Integer({
    description: "Submits without an answer that all of its binds may have together.",
  }),
  window_free: Type.Integer({
    description: "Free slots out of `window_total`; a bind that is not up has none.",
  }),
  rate: Nullable(Type.Number(), {
    description: "Submits a second over the whole installation; null is no limit.",
  }),
  texts_per_second: Type.Number({
    description: "Texts that it accepts a second, over the last ten to twenty seconds.",
  }),
  recent_texts: Type.Array(Type.Integer(), {
    description:
      "Texts that it accepted in each ten seconds of the last ten minutes: 60 counts, the oldest first, the last one not over yet.",
  }),
  receipt_rate: Nullable(Type.Number({ minimum: 0, maximum: 1 }), {
    description:
      "Receipts received in the last hour, as a share of those requested; null without requests. A simulator has none.",
  }),
  unowned_inbound: UnownedTraffic,
  unowned_receipts: UnownedTraffic,
  last_error: Nullable(Type.String(), { description: "Reason of the last disconnect." }),
  binds: Type.Array(CarrierBind, {
    description: "Its binds in every process. A simulator has none.",
  }),
});
export type CarrierLink = Static<typeof CarrierLink>;

/** Carriers of the installation, and the numbers that none of them serves. */
export const CarrierPage = Resource(
  "CarrierPage",
  {
    data: Type.Array(CarrierLink),
    has_more: Type.Boolean(),
    next_cursor: Nullable(Type.String(), {
      description: "Give it back as `cursor` for the next page; null on the last.",
    }),
    numbers_without_carrier: Type.Array(E164(), {
      description:
        "Live numbers of accounts with live access that no carrier serves, 100 at most: their texts wait.",
    }),
  },
  { description: "The carriers of the installation, and the numbers that none of them serves." },
);

/** Result of reloading the carriers file. */
export const CarrierReload = Resource(
  "CarrierReload",
  {
    object: Type.Literal("carrier_reload"),
    added: Type.Array(Type.String(), { description: "Carriers that were not there before." }),
    changed: Type.Array(Type.String(), {
      description: "Carriers whose entry differs: their links were drained and opened anew.",
    }),
    removed: Type.Array(Type.String(), {
      description: "Carriers that are gone: their links were drained and unbound.",
    }),
    unchanged: Type.Array(Type.String(), { description: "Carriers whose links were left alone." }),
  },
  { description: "Result of reloading the carriers file, by the names of carriers." },
);
export type CarrierReload = Static<typeof CarrierReload>;

/** Provider that a carrier can be added for. */
export const CarrierPreset = Resource(
  "CarrierPreset",
  {
    type: Type.String({ description: "Name of the preset, such as `telnyx`." }),
    title: Type.String(),
    needs_base_url: Type.Boolean({
      description: "Whether each customer of the provider has an own address.",
    }),
    fields: Type.Array(
      Resource(
        "CarrierPresetField",
        {
          name: Type.String(),
          about: Type.String({ description: "Meaning of the field." }),
          is_required: Type.Boolean({
            description: "Whether an entry lacks something without it.",
          }),
          is_secret: Type.Boolean({
            description: "Whether its value is kept in the private file.",
          }),
          variable: Nullable(Type.String(), {
            description: "Variable that the command line reads a secret from.",
          }),
          default: Nullable(Type.String(), {
            description: "Value of an entry that leaves it out.",
          }),
        },
        { description: "One setting of an entry of this provider." },
      ),
    ),
    before: Type.String({ description: "Step at the provider before the carrier is added." }),
    after: Type.String({ description: "Step at the provider after it was added." }),
    reads_numbers: Type.Boolean({
      description: "Whether the provider's numbers can be listed.",
    }),
    sets_callbacks: Type.Boolean({
      description: "Whether the callback URL can be set through the provider's API.",
    }),
    can_poll: Type.Boolean({
      description: "Whether it works without a public address, by reading the provider's lists.",
    }),
  },
  { description: "A provider that a carrier can be added for." },
);
export type CarrierPreset = Static<typeof CarrierPreset>;

export const CarrierPresets = Resource(
  "CarrierPresets",
  {
    object: Type.Literal("carrier_presets"),
    public_url: Nullable(Type.String(), {
      description: "Address that providers call back (`LONGWAVE_PUBLIC_URL`); null: they cannot.",
    }),
    presets: Type.Array(CarrierPreset, { description: "One for each provider, by name." }),
  },
  { description: "The providers that a carrier can be added for." },
);
export type CarrierPresets = Static<typeof CarrierPresets>;

/** New entry of the carriers file. */
export const CarrierEntry = Resource(
  "CarrierEntry",
  {
    object: Type.Literal("carrier_entry"),
    name: Type.String(),
    preset: Type.String({ description: "Provider that the entry names as its `type`." }),
    file: Type.String({ description: "The carriers file, on the server's machine." }),
    variables: Type.Array(Type.String(), {
      description: "Variables of the private file beside it that hold the secrets.",
    }),
  },
  { description: "A new entry of the carriers file." },
);
export type CarrierEntry = Static<typeof CarrierEntry>;

/** Result of removing a carrier. */
export const CarrierRemoval = Resource(
  "CarrierRemoval",
  {
    object: Type.Literal("carrier_removal"),
    name: Type.String({ description: "Carrier that the file has no more." }),
    file: Type.String({ description: "The carriers file, on the server's machine." }),
    variables: Type.Array(Type.String(), {
      description: "Variables that were taken out of the private file with it.",
    }),
    numbers_without_carrier: Type.Array(E164(), {
      description:
        "Live numbers of accounts with live access that no carrier serves now, 100 at most.",
    }),
  },
  { description: "A carrier that was removed." },
);
export type CarrierRemoval = Static<typeof CarrierRemoval>;

/** A number in the account at the provider. */
export const ProviderNumber = Resource(
  "ProviderNumber",
  {
    phone_number: Type.String(),
    country: Nullable(Type.String(), {
      description: "Country as the provider names it, in two letters.",
    }),
    account_id: Nullable(Type.String(), { description: "Account here that holds it live." }),
    can_be_taken: Type.Boolean({
      description: "False if `reason` names an obstacle.",
    }),
    reason: Nullable(Type.String(), { description: "Why it cannot be taken over." }),
  },
  { description: "A number in the account at the provider." },
);
export type ProviderNumber = Static<typeof ProviderNumber>;

export const ProviderNumbers = Resource(
  "ProviderNumbers",
  {
    object: Type.Literal("provider_numbers"),
    readable: Type.Boolean({ description: "Whether the provider's list can be read here." }),
    numbers: Type.Array(ProviderNumber),
  },
  { description: "The numbers that the provider holds for you." },
);
export type ProviderNumbers = Static<typeof ProviderNumbers>;

export const TakenNumbers = Resource(
  "TakenNumbers",
  {
    object: Type.Literal("taken_numbers"),
    carrier: Type.String(),
    account_id: Id("account"),
    numbers: Type.Array(
      Resource(
        "TakenNumber",
        {
          phone_number: E164(),
          is_new: Type.Boolean({ description: "False: the account held it already." }),
          sender_state: Type.String({
            description: "Whether the number may text now, such as `active` or `action_needed`.",
          }),
        },
        { description: "One number, now live in the account." },
      ),
    ),
  },
  { description: "Numbers that were taken over from a provider." },
);
export type TakenNumbers = Static<typeof TakenNumbers>;

export const CarrierCallbacks = Resource(
  "CarrierCallbacks",
  {
    object: Type.Literal("carrier_callbacks"),
    inbound: Nullable(Type.String(), { description: "URL for messages from phones." }),
    receipts: Nullable(Type.String(), { description: "URL for delivery receipts." }),
    is_set: Type.Boolean({ description: "Whether the provider has the URL now." }),
    next: Nullable(Type.String(), { description: "Step that is left at the provider." }),
  },
  { description: "Callback URLs of a carrier, and whether the provider has them." },
);
export type CarrierCallbacks = Static<typeof CarrierCallbacks>;

/** Callback that had no effect, as it came. */
export const KeptCallback = Resource(
  "KeptCallback",
  {
    object: Type.Literal("kept_callback"),
    id: Id("kept_callback"),
    carrier: Type.String(),
    kind: StringEnum(["receipts", "inbound"], { description: "Path that the carrier called." }),
    reason: Type.String({ description: "Why it had no effect." }),
    is_item: Type.Boolean({
      description: "True: one receipt of a callback that no message has. False: a whole callback.",
    }),
    content_type: Type.String({ description: "Media type that the carrier named." }),
    query: Type.String({ description: "Query of the URL that was called." }),
    body: Type.String({ description: "Contents of the request, as the carrier sent them." }),
    times: Type.Integer({ description: "How often the same contents came." }),
    first_at: Timestamp({ description: "When these contents came for the first time." }),
    last_at: Timestamp({ description: "When they came most recently." }),
    matches: Type.Array(
      Resource(
        "CallbackMatch",
        {
          field: Type.String({ description: "Field of the declaration, such as `receipts.id`." }),
          path: Type.String({ description: "Path that would match, for that field." }),
          value: Type.String(),
          message_id: Nullable(Id("message"), { description: "Message that the value names." }),
        },
        { description: "A path within the contents that the declaration could name." },
      ),
      { description: "Paths of these contents that would match, for `callbacks` in the entry." },
    ),
  },
  {
    description:
      "A callback that could not be read, or a receipt that no message has. Kept for seven days.",
  },
);
export type KeptCallback = Static<typeof KeptCallback>;

export const CallbackReplay = Resource(
  "CallbackReplay",
  {
    object: Type.Literal("callback_replay"),
    carrier: Type.String(),
    read: Type.Integer({ description: "Callbacks that were read now, and are kept no longer." }),
    unread: Type.Array(
      Resource(
        "UnreadCallback",
        {
          id: Id("kept_callback"),
          reason: Type.String({ description: "Why it still has no effect." }),
        },
        { description: "A kept callback without an effect, as before." },
      ),
      { description: "Callbacks that stay kept, each with the reason." },
    ),
  },
  { description: "Result of reading kept callbacks again." },
);
export type CallbackReplay = Static<typeof CallbackReplay>;
