export { activateCallbacks } from "./activate-callbacks.ts";
export { type Attempted, sendOnce } from "./attempt.ts";
export { countAttemptsByHour } from "./count-attempts.ts";
export {
  CALLBACKS_URL,
  type Callbacks,
  createWebhookSender,
  type WebhookSender,
} from "./deliver.ts";
export { deliveriesOfEvents, deliveriesOfMessage, type MessageDelivery } from "./deliveries.ts";
export { endpointOf } from "./endpoint-row.ts";
export { type FailingEndpoint, listFailing } from "./endpoint-sql.ts";
export { addEndpoint, endpointUrls } from "./endpoints.ts";
export { webhookHandlers } from "./handlers.ts";
export { webhookLane } from "./lane.ts";
export { endPauseTask, sweepPaused } from "./tasks.ts";
export { wakeOnEvents } from "./wake-on-events.ts";
