import { accountImportMachine } from "./account-import.ts";
import { automationMachine, automationRunMachine } from "./automation.ts";
import { batchMachine, batchRecipientMachine } from "./batch.ts";
import type { Machine } from "./define-machine.ts";
import { billingMachine, messageMachine, submitAttemptMachine } from "./message.ts";
import { portRequestMachine } from "./port-request.ts";
import { registrationMachine } from "./registration.ts";
import { occurrenceMachine, scheduleMachine } from "./schedule.ts";
import { scheduledMessageMachine } from "./scheduled-message.ts";
import { senderMachine } from "./sender.ts";
import { verificationMachine } from "./verification.ts";
import { webhookJobMachine } from "./webhook-job.ts";

export * from "./account-import.ts";
export * from "./automation.ts";
export * from "./batch.ts";
export * from "./define-machine.ts";
export * from "./message.ts";
export * from "./port-request.ts";
export * from "./registration.ts";
export * from "./schedule.ts";
export * from "./scheduled-message.ts";
export * from "./sender.ts";
export * from "./verification.ts";
export * from "./webhook-job.ts";

/** Every state machine, for the docs and for tests over all of them. */
export const MACHINES: readonly Machine[] = [
  messageMachine,
  billingMachine,
  submitAttemptMachine,
  scheduledMessageMachine,
  scheduleMachine,
  occurrenceMachine,
  batchMachine,
  batchRecipientMachine,
  automationMachine,
  automationRunMachine,
  verificationMachine,
  registrationMachine,
  senderMachine,
  portRequestMachine,
  accountImportMachine,
  webhookJobMachine,
];
