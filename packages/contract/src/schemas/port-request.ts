import { type Static, Type } from "typebox";
import { E164, Id, Nullable, Resource, StringEnum, Timestamp } from "../fields.ts";
import { portRequestMachine } from "../machines/port-request.ts";

/** Number being ported in from another provider. */
export const PortRequest = Resource(
  "PortRequest",
  {
    id: Id("port_request"),
    object: Type.Literal("port_request"),
    phone_number: E164({ description: "The number that comes over, in E.164." }),
    status: StringEnum(portRequestMachine.states, {
      description:
        "`requested` until the operator files it; `foc_set` once the losing carrier has named the day; `complete` when the number is the account's.",
    }),
    reason: Nullable(Type.String(), {
      description: "Reason of the rejection; null otherwise.",
    }),
    foc_date: Nullable(Type.String({ format: "date" }), {
      description:
        "The day on which the number moves, as the losing carrier confirmed it (2026-12-01); null before it has.",
    }),
    provider: Type.String({ description: "The provider that the number comes from." }),
    created_at: Timestamp(),
    updated_at: Timestamp(),
  },
  { description: "A number being ported to the account from another provider." },
);
export type PortRequest = Static<typeof PortRequest>;

export const OperatorPortRequest = Resource(
  "OperatorPortRequest",
  { account_id: Id("account"), ...PortRequest.properties },
  { description: "A port request, with the account that the number comes to." },
);
export type OperatorPortRequest = Static<typeof OperatorPortRequest>;
