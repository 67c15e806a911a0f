export {
  findTopic,
  subscribedTopics,
  type TopicRow,
  topicNeedsOptIn,
  unsubscribedAmong,
} from "./find.ts";
export { topicHandlers } from "./handlers.ts";
export { findTopicIds } from "./sql.ts";
export { type SubscriptionRow, subscribe } from "./subscribe.ts";
export { isSubscribed } from "./subscribed-sql.ts";
