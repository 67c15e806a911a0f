import { Type } from "typebox";
import { defineRoutes } from "../define.ts";
import { TOPIC_DEFAULTS } from "../enums.ts";
import { Input, ListQuery, Nullable, Page, PhoneInput, SingleLine, StringEnum } from "../fields.ts";
import { TOPIC_DESCRIPTION_CHARS_MAX, TOPIC_NAME_CHARS_MAX } from "../limits.ts";
import { Topic, TopicSubscription } from "../schemas/topic.ts";

const TAG = "Topics";
const EXAMPLE_TOPIC = { id: "top_01jd0000000000000000000000" };
const topicParams = Input({ id: Type.String({ description: "The topic's id." }) });
const TopicName = SingleLine({
  minLength: 1,
  maxLength: TOPIC_NAME_CHARS_MAX,
  description: "Name of the topic for its subscribers.",
});
const TopicDescription = Type.String({
  maxLength: TOPIC_DESCRIPTION_CHARS_MAX,
  description: "Content and frequency of the topic.",
});
const TopicDefault = StringEnum(TOPIC_DEFAULTS, {
  description: "State of everybody who has not chosen. Default `subscribed`.",
});

const TopicOptIn = Type.Boolean({
  description:
    "true: batches with this topic reach only people who have opted in, by the consent ledger. Begins as false.",
});

export const topicRoutes = defineRoutes({
  "topics.create": {
    method: "POST",
    path: "/v1/topics",
    scope: "contacts",
    tag: TAG,
    summary: "Create a topic",
    description: "Contacts choose by subscription; for all others the default decides.",
    body: Input({
      name: TopicName,
      description: Type.Optional(TopicDescription),
      default: Type.Optional(TopicDefault),
      opt_in_required: Type.Optional(TopicOptIn),
    }),
    answers: { 201: Topic },
    errors: ["limit_reached"],
    example: {
      body: { name: "Weekly offers", description: "One text a week.", default: "subscribed" },
      status: 201,
    },
  },
  "topics.list": {
    method: "GET",
    path: "/v1/topics",
    scope: "contacts",
    tag: TAG,
    summary: "List topics, newest first",
    description: "Every topic with its default for people who have not chosen.",
    query: ListQuery({}),
    answers: { 200: Page(Topic) },
    errors: [],
    example: { query: { limit: 10 }, status: 200 },
  },
  "topics.get": {
    method: "GET",
    path: "/v1/topics/{id}",
    scope: "contacts",
    tag: TAG,
    summary: "Read a topic",
    description: "The name, the description and the default of the topic.",
    params: topicParams,
    answers: { 200: Topic },
    errors: ["not_found"],
    example: { params: EXAMPLE_TOPIC, status: 200 },
  },
  "topics.update": {
    method: "PATCH",
    path: "/v1/topics/{id}",
    scope: "contacts",
    tag: TAG,
    summary: "Change a topic",
    description:
      "Absent fields stay unchanged. A new default applies at once to everybody who has not chosen.",
    params: topicParams,
    nullClears: true,
    body: Input({
      name: Type.Optional(TopicName),
      description: Type.Optional(Nullable(TopicDescription)),
      default: Type.Optional(TopicDefault),
      opt_in_required: Type.Optional(TopicOptIn),
    }),
    answers: { 200: Topic },
    errors: ["not_found"],
    example: { params: EXAMPLE_TOPIC, body: { name: "Offers" }, status: 200 },
  },
  "topics.delete": {
    method: "DELETE",
    path: "/v1/topics/{id}",
    scope: "contacts",
    tag: TAG,
    summary: "Delete a topic",
    description: "Batches that were made with it still leave out who unsubscribed from it.",
    params: topicParams,
    answers: { 200: Topic },
    errors: ["not_found"],
    example: { params: EXAMPLE_TOPIC, status: 200 },
  },
  "topics.subscribe": {
    method: "POST",
    path: "/v1/topics/{id}/subscriptions",
    scope: "contacts",
    tag: TAG,
    summary: "Subscribe a number to a topic, or unsubscribe it",
    description:
      "Holds for the number whether it is a contact or not. It is no opt-in: who has opted out gets no texts under any topic.",
    params: topicParams,
    body: Input({
      phone_number: PhoneInput(),
      subscribed: Type.Boolean({ description: "Whether the number receives texts of the topic." }),
    }),
    answers: { 200: TopicSubscription, 201: TopicSubscription },
    errors: ["not_found"],
    example: {
      params: EXAMPLE_TOPIC,
      body: { phone_number: "+14155550123", subscribed: false },
      status: 201,
    },
  },
  "topics.subscriptions": {
    method: "GET",
    path: "/v1/topics/{id}/subscriptions",
    scope: "contacts",
    tag: TAG,
    summary: "List who chose for a topic, newest first",
    description: "Numbers that never chose are not listed: the topic's default holds for them.",
    params: topicParams,
    query: ListQuery({
      subscribed: Type.Optional(
        Type.Boolean({ description: "Only subscribed numbers, or only unsubscribed ones." }),
      ),
      phone_number: Type.Optional(
        PhoneInput({ description: "Only the choice of this phone number." }),
      ),
    }),
    answers: { 200: Page(TopicSubscription) },
    errors: ["not_found"],
    example: { params: EXAMPLE_TOPIC, query: { subscribed: false }, status: 200 },
  },
});
