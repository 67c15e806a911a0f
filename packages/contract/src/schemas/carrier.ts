import { type Static, Type } from "typebox";
import { LINK_STATES } from "../enums.ts";
import { Nullable, Resource, StringEnum } from "../fields.ts";

/** A link to the phone network, as the operator sees it. */
export const CarrierLink = Resource("CarrierLink", {
  object: Type.Literal("carrier"),
  name: Type.String(),
  state: StringEnum(LINK_STATES),
  window_free: Type.Integer({ description: "Texts it can take before one is answered." }),
  rate: Nullable(Type.Number(), { description: "Texts a second; null is no limit." }),
  last_error: Nullable(Type.String()),
});
export type CarrierLink = Static<typeof CarrierLink>;
