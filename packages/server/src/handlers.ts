import { accountHandlers, operatorAccountHandlers } from "./accounts/index.ts";
import type { Handlers } from "./api/handler.ts";
import { auditHandlers } from "./audit/index.ts";
import { automationHandlers } from "./automations/index.ts";
import { batchHandlers } from "./batches/index.ts";
import { consentHandlers } from "./consent/index.ts";
import { contactHandlers } from "./contacts/index.ts";
import { customerHandlers } from "./customers/handlers.ts";
import { deliverabilityHandlers } from "./deliverability/index.ts";
import type { Deps } from "./deps.ts";
import { eventHandlers } from "./events/index.ts";
import { holdHandlers } from "./hold/index.ts";
import { importHandlers } from "./importer/index.ts";
import { testInboundHandlers } from "./inbound/index.ts";
import { operatorKeyHandlers } from "./keys/index.ts";
import { lookupHandlers } from "./lookup/index.ts";
import { messageHandlers } from "./messages/index.ts";
import { numberHandlers, operatorInventoryHandlers, poolHandlers } from "./numbers/index.ts";
import { carrierHandlers } from "./operator/carriers.ts";
import { clockHandlers } from "./operator/clock.ts";
import { operatorBillingHandlers } from "./operator/credits.ts";
import { ownPhoneHandlers } from "./own-phones/index.ts";
import { portRequestHandlers } from "./port-requests/index.ts";
import { registrationHandlers } from "./registrations/index.ts";
import { scheduledMessageHandlers } from "./scheduled/index.ts";
import { scheduleHandlers } from "./schedules/index.ts";
import { segmentHandlers } from "./segments/index.ts";
import { spendLimitHandlers } from "./spend-limit/index.ts";
import { topicHandlers } from "./topics/index.ts";
import { trackHandlers } from "./track/index.ts";
import { usageHandlers } from "./usage/handlers.ts";
import { operatorVerifyHandlers, verifyHandlers } from "./verify/index.ts";
import { webhookHandlers } from "./webhooks/index.ts";

/** Every route's handler, one line per family. A route without one does not compile. */
export const handlers: Handlers<Deps> = {
  ...accountHandlers,
  ...carrierHandlers,
  ...holdHandlers,
  ...customerHandlers,
  ...usageHandlers,
  ...numberHandlers,
  ...poolHandlers,
  ...portRequestHandlers,
  ...importHandlers,
  ...operatorInventoryHandlers,
  ...operatorAccountHandlers,
  ...operatorBillingHandlers,
  ...operatorKeyHandlers,
  ...consentHandlers,
  ...contactHandlers,
  ...segmentHandlers,
  ...topicHandlers,
  ...lookupHandlers,
  ...messageHandlers,
  ...scheduledMessageHandlers,
  ...testInboundHandlers,
  ...eventHandlers,
  ...webhookHandlers,
  ...batchHandlers,
  ...scheduleHandlers,
  ...automationHandlers,
  ...trackHandlers,
  ...verifyHandlers,
  ...registrationHandlers,
  ...spendLimitHandlers,
  ...deliverabilityHandlers,
  ...auditHandlers,
  ...ownPhoneHandlers,
  ...operatorVerifyHandlers,
  ...clockHandlers,
};
