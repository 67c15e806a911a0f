import { type Static, Type } from "typebox";
import { KEY_MODES } from "../enums.ts";
import { Id, Nullable, Resource, StringEnum, Timestamp } from "../fields.ts";

/** Range of phones blocked from receiving codes for a while. */
export const VerifyBlock = Resource(
  "VerifyBlock",
  {
    object: Type.Literal("verify_block"),
    account_id: Nullable(Id("account"), {
      description: "null: the service's own numbers send no live code for any account.",
    }),
    mode: StringEnum(KEY_MODES),
    prefix: Type.String({ description: "Prefix of the blocked phones." }),
    rule: Type.String({ description: "The rule of fraud protection that blocked it." }),
    created_at: Timestamp(),
    expires_at: Timestamp({ description: "Time when it ends by itself." }),
  },
  { description: "A range of phones that an account sends no codes to for a while." },
);
export type VerifyBlock = Static<typeof VerifyBlock>;

export const LiftedBlocks = Resource(
  "LiftedBlocks",
  {
    object: Type.Literal("lifted_blocks"),
    prefix: Type.String({ description: "The prefix that was lifted." }),
    lifted: Type.Integer({ description: "Number of lifted blocks." }),
    data: Type.Array(VerifyBlock, { description: "The blocks as they were." }),
  },
  { description: "The lifted blocks, in their last state." },
);
