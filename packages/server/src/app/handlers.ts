import { accountHandlers } from "../account/accounts/index.ts";
import { auditHandlers } from "../account/audit/index.ts";
import { customerHandlers } from "../account/customers/handlers.ts";
import { eventHandlers } from "../events/log/index.ts";
import { webhookHandlers } from "../events/webhooks/index.ts";
import type { Handlers } from "../http/api/handler.ts";
import { automationHandlers } from "../messaging/automations/index.ts";
import { batchHandlers } from "../messaging/batches/index.ts";
import { conversationHandlers, snippetHandlers } from "../messaging/conversations/index.ts";
import { deliverabilityHandlers } from "../messaging/deliverability/index.ts";
import { testInboundHandlers } from "../messaging/inbound/index.ts";
import { messageHandlers } from "../messaging/messages/index.ts";
import { scheduleHandlers } from "../messaging/recurring-schedules/index.ts";
import { scheduledMessageHandlers } from "../messaging/scheduled-messages/index.ts";
import { sendHandlers } from "../messaging/send/index.ts";
import { trackHandlers } from "../messaging/track/index.ts";
import { verifyHandlers } from "../messaging/verify/index.ts";
import { lookupHandlers } from "../network/lookup/index.ts";
import {
  numberHandlers,
  operatorInventoryHandlers,
  operatorNumberHandlers,
  poolHandlers,
} from "../network/numbers/index.ts";
import { portRequestHandlers } from "../network/port-requests/index.ts";
import { registrationHandlers } from "../network/registrations/index.ts";
import { consentHandlers } from "../people/consent/index.ts";
import { contactHandlers } from "../people/contacts/index.ts";
import { segmentHandlers } from "../people/segments/index.ts";
import { topicHandlers } from "../people/topics/index.ts";
import { operatorInvitationHandlers, operatorRoleHandlers } from "../surfaces/console/index.ts";
import { hookHandlers } from "../surfaces/hooks/index.ts";
import { importHandlers } from "../surfaces/importer/index.ts";
import {
  accountDeletionHandlers,
  carrierHandlers,
  carrierRemovalHandlers,
  carrierSetupHandlers,
  clockHandlers,
  keptCallbackHandlers,
  operatorAccountHandlers,
  operatorBillingHandlers,
  operatorKeyHandlers,
  operatorPriceHandlers,
  operatorQuietLawHandlers,
  operatorTokenHandlers,
  operatorVerifiedNumberHandlers,
  operatorVerifyHandlers,
} from "../surfaces/operator/index.ts";
import { messageBodyHandlers, personalDataHandlers } from "../surfaces/personal-data/index.ts";
import { restoreGuardHandlers } from "../surfaces/restore-guard/index.ts";
import { spendLimitHandlers } from "../surfaces/spend-limit/index.ts";
import { usageHandlers } from "../surfaces/usage/handlers.ts";
import { verifiedNumberHandlers } from "../surfaces/verified-numbers/index.ts";
import type { Deps } from "./deps.ts";

/** Handlers of all routes, one line per family. A route without a handler does not compile. */
export const handlers: Handlers<Deps> = {
  ...accountHandlers,
  ...conversationHandlers,
  ...snippetHandlers,
  ...carrierHandlers,
  ...carrierRemovalHandlers,
  ...carrierSetupHandlers,
  ...keptCallbackHandlers,
  ...restoreGuardHandlers,
  ...customerHandlers,
  ...usageHandlers,
  ...numberHandlers,
  ...poolHandlers,
  ...portRequestHandlers,
  ...importHandlers,
  ...operatorInventoryHandlers,
  ...operatorNumberHandlers,
  ...operatorAccountHandlers,
  ...operatorBillingHandlers,
  ...operatorKeyHandlers,
  ...messageBodyHandlers,
  ...personalDataHandlers,
  ...accountDeletionHandlers,
  ...operatorPriceHandlers,
  ...operatorQuietLawHandlers,
  ...operatorTokenHandlers,
  ...operatorRoleHandlers,
  ...operatorInvitationHandlers,
  ...consentHandlers,
  ...contactHandlers,
  ...segmentHandlers,
  ...topicHandlers,
  ...lookupHandlers,
  ...messageHandlers,
  ...sendHandlers,
  ...scheduledMessageHandlers,
  ...testInboundHandlers,
  ...eventHandlers,
  ...webhookHandlers,
  ...hookHandlers,
  ...batchHandlers,
  ...scheduleHandlers,
  ...automationHandlers,
  ...trackHandlers,
  ...verifyHandlers,
  ...registrationHandlers,
  ...spendLimitHandlers,
  ...deliverabilityHandlers,
  ...auditHandlers,
  ...verifiedNumberHandlers,
  ...operatorVerifiedNumberHandlers,
  ...operatorVerifyHandlers,
  ...clockHandlers,
};
