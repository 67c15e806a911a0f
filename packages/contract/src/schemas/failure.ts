import { type Static, Type } from "typebox";
import { FAILURE_CODES } from "../failures.ts";
import { Nullable, Resource, StringEnum } from "../fields.ts";

/** Why a message failed, on the message itself and in `message.failed`. */
export const Failure = Resource(
  "Failure",
  {
    code: StringEnum(FAILURE_CODES),
    title: Type.String(),
    explanation: Type.String(),
    action: Type.String({ description: "What to do next." }),
    carrier_code: Nullable(Type.String(), {
      description: "The carrier's own code, if it gave one.",
    }),
  },
  { description: "Why a message failed, and what to do about it." },
);
export type Failure = Static<typeof Failure>;
