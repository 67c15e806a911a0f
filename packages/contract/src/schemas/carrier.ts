import { type Static, Type } from "typebox";
import { CARRIER_TYPES, LINK_STATES } from "../enums.ts";
import { E164, Nullable, Resource, StringEnum, Timestamp } from "../fields.ts";

/** The numbers that a carrier serves. */
export const CarrierNumbers = Type.Unsafe<"*" | string[]>({
  $id: "CarrierNumbers",
  anyOf: [
    { type: "string", enum: ["*"] },
    { type: "array", items: { type: "string" } },
  ],
  description: "The numbers whose texts it carries; `*` is every number.",
});

/** One bind of a carrier, whichever process keeps it. */
export const CarrierBind = Resource(
  "CarrierBind",
  {
    state: StringEnum(LINK_STATES, {
      description:
        "As its owner last told: `up` is bound. A pair of connections (tx_rx) is one bind.",
    }),
    owner: Nullable(Type.String(), {
      description: "The process that keeps it, as `host:pid`; null when none does.",
    }),
    since: Nullable(Timestamp(), { description: "When it came into this state." }),
    in_flight: Type.Integer({ description: "Submits without an answer." }),
    next_try_at: Nullable(Timestamp(), {
      description: "When a link that is down is tried again; null while it is up, or being tried.",
    }),
  },
  { description: "One bind of a carrier, whichever process keeps it." },
);
export type CarrierBind = Static<typeof CarrierBind>;

/** A link to the phone network, as the operator sees it. */
export const CarrierLink = Resource("CarrierLink", {
  object: Type.Literal("carrier"),
  name: Type.String({ description: "As the carriers file has it." }),
  type: StringEnum(CARRIER_TYPES, { description: "What it speaks." }),
  numbers: CarrierNumbers,
  priority: Type.Integer({ description: "The smaller is tried first." }),
  state: StringEnum(LINK_STATES, {
    description: "Of the whole installation: `up` when any of its binds is.",
  }),
  window: Type.Integer({ description: "Submits without an answer that one bind may have." }),
  window_total: Type.Integer({
    description: "Submits without an answer that all of its binds may have together.",
  }),
  window_free: Type.Integer({
    description: "How many of `window_total` are free now; a bind that is not up has none.",
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
      "Receipts that came in the last hour, as a share of those that its texts asked for; null where none did. A simulator has none.",
  }),
  last_error: Nullable(Type.String(), { description: "Why a link last went down." }),
  binds: Type.Array(CarrierBind, {
    description: "Its binds in every process. A simulator has none.",
  }),
});
export type CarrierLink = Static<typeof CarrierLink>;

/** The links of the installation, and the numbers that none of them serves. */
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

/** What reading the carriers file again came to. */
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
  { description: "What reading the carriers file again came to, by the names of carriers." },
);
export type CarrierReload = Static<typeof CarrierReload>;
