import { batchMachine } from "./batch.ts";
import { batchRecipientMachine } from "./batch-recipient.ts";
import type { Machine } from "./define-machine.ts";
import { messageMachine } from "./message.ts";
import { scheduledMessageMachine } from "./scheduled-message.ts";
import { verificationMachine } from "./verification.ts";
import { webhookDeliveryMachine } from "./webhook-delivery.ts";

export { batchMachine } from "./batch.ts";
export { batchRecipientMachine } from "./batch-recipient.ts";

/** Every state machine, for the docs and for the test that walks them all. */
export const MACHINES: readonly Machine<string>[] = [
  messageMachine,
  scheduledMessageMachine,
  batchMachine,
  batchRecipientMachine,
  verificationMachine,
  webhookDeliveryMachine,
];
