import { type Static, Type } from "typebox";
import { TOPIC_DEFAULTS } from "../enums.ts";
import { E164, Id, Nullable, Resource, StringEnum, Timestamp } from "../fields.ts";

export const Topic = Resource(
  "Topic",
  {
    id: Id("topic"),
    object: Type.Literal("topic"),
    name: Type.String({ description: "Name of the topic for its subscribers." }),
    description: Nullable(Type.String(), { description: "Content and frequency of the topic." }),
    default: StringEnum(TOPIC_DEFAULTS, {
      description: "State of everybody who has not chosen.",
    }),
    opt_in_required: Type.Boolean({
      description:
        "Whether batches with this topic reach only people who have opted in, by the consent ledger.",
    }),
    created_at: Timestamp(),
  },
  { description: "Something that people can subscribe to and unsubscribe from, by phone number." },
);
export type Topic = Static<typeof Topic>;

export const TopicSubscription = Resource(
  "TopicSubscription",
  {
    object: Type.Literal("topic_subscription"),
    topic_id: Id("topic"),
    phone_number: E164({ description: "The number that chose." }),
    subscribed: Type.Boolean({ description: "Whether it receives texts of this topic." }),
    created_at: Timestamp({ description: "Time of the first choice." }),
    updated_at: Timestamp({ description: "Time of the last choice." }),
  },
  { description: "Choice of one phone number for a topic." },
);
export type TopicSubscription = Static<typeof TopicSubscription>;
