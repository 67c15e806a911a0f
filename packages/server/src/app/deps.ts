import type { CustomerHandlersDeps } from "../account/customers/deps.ts";
import type { KeysDeps } from "../account/keys/deps.ts";
import type { WorkerDeps } from "../core/queue/deps.ts";
import type { EventsDeps } from "../events/log/deps.ts";
import type { WebhooksDeps } from "../events/webhooks/deps.ts";
import type { BatchesDeps } from "../messaging/batches/deps.ts";
import type { ConversationsDeps } from "../messaging/conversations/index.ts";
import type { InboundDeps } from "../messaging/inbound/deps.ts";
import type { MessageHandlersDeps } from "../messaging/messages/deps.ts";
import type { TrackDeps } from "../messaging/track/index.ts";
import type { VerifyDeps } from "../messaging/verify/deps.ts";
import type {
  InventoryDeps,
  NumberHandlersDeps,
  NumberLinksDeps,
} from "../network/numbers/deps.ts";
import type { RegistrationsDeps } from "../network/registrations/index.ts";
import type { ContactHandlersDeps } from "../people/contacts/deps.ts";
import type { OperatorPeopleDeps } from "../surfaces/console/index.ts";
import type { ImporterDeps } from "../surfaces/importer/index.ts";
import type { TwilioDeps } from "../surfaces/twilio-api/deps.ts";

/**
 * Services of all domains: plain values, built once in assemble.ts. Only files in `app/` use this type; a
 * domain takes its own `deps.ts`, or `Base`.
 */
export interface Deps
  extends BatchesDeps,
    ContactHandlersDeps,
    ConversationsDeps,
    CustomerHandlersDeps,
    EventsDeps,
    ImporterDeps,
    InboundDeps,
    InventoryDeps,
    KeysDeps,
    MessageHandlersDeps,
    NumberHandlersDeps,
    NumberLinksDeps,
    OperatorPeopleDeps,
    RegistrationsDeps,
    TrackDeps,
    TwilioDeps,
    VerifyDeps,
    WebhooksDeps,
    WorkerDeps {}
