import type { QueueDeps } from "../../core/queue/deps.ts";
import type { WebhookSender } from "./deliver.ts";

export interface WebhooksDeps extends QueueDeps {
  readonly webhookSender: WebhookSender;
}
