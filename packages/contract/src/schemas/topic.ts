import { type Static, Type } from "typebox";
import { TOPIC_DEFAULTS } from "../enums.ts";
import { E164, Id, Nullable, Resource, StringEnum, Timestamp } from "../fields.ts";

export const Topic = Resource(
  "Topic",
  {
    id: Id("topic"),
    object: Type.Literal("topic"),
    name: Type.String({ description: "What people subscribe to, in a few words." }),
    description: Nullable(Type.String(), { description: "What they get and how often." }),
    default: StringEnum(TOPIC_DEFAULTS, {
      description: "What holds for everybody who has not chosen.",
    }),
    created_at: Timestamp({ description: "When the topic came to be." }),
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
    subscribed: Type.Boolean({ description: "Whether it gets what is sent under this topic." }),
    created_at: Timestamp({ description: "When it chose first." }),
    updated_at: Timestamp({ description: "When it chose last." }),
  },
  { description: "What one phone number chose for a topic." },
);
export type TopicSubscription = Static<typeof TopicSubscription>;
