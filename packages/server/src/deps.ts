import type { BatchesDeps } from "./batches/deps.ts";
import type { ContactHandlersDeps } from "./contacts/deps.ts";
import type { CustomerHandlersDeps } from "./customers/deps.ts";
import type { EventsDeps } from "./events/deps.ts";
import type { ImporterDeps } from "./importer/index.ts";
import type { InboundDeps } from "./inbound/deps.ts";
import type { KeysDeps } from "./keys/deps.ts";
import type { InventoryDeps, NumberHandlersDeps, NumberLinksDeps } from "./numbers/deps.ts";
import type { WorkerDeps } from "./queue/deps.ts";
import type { RegistrationsDeps } from "./registrations/index.ts";
import type { TrackDeps } from "./track/index.ts";
import type { VerifyDeps } from "./verify/deps.ts";
import type { WebhooksDeps } from "./webhooks/deps.ts";

/**
 * What all domains need, taken together: plain values, built once in assemble.ts. Only the files at
 * the top know this type; a domain takes its own `deps.ts`, or `Base`.
 */
export interface Deps
  extends BatchesDeps,
    ContactHandlersDeps,
    CustomerHandlersDeps,
    EventsDeps,
    ImporterDeps,
    InboundDeps,
    InventoryDeps,
    KeysDeps,
    NumberHandlersDeps,
    NumberLinksDeps,
    RegistrationsDeps,
    TrackDeps,
    VerifyDeps,
    WebhooksDeps,
    WorkerDeps {}
