import type { QueueDeps } from "../queue/deps.ts";
import type { WebhookSender } from "./sender.ts";

export interface WebhooksDeps extends QueueDeps {
  readonly webhookSender: WebhookSender;
}
