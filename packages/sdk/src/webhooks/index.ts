/** Receiving webhooks: `import { webhooks } from "@longwave/sdk"`. For servers: the secret must not reach a browser. */
export { express, fastify, hono, next } from "./adapters.ts";
export type { EventHandler } from "./receive.ts";
export { type SignOptions, sign } from "./sign.ts";
export {
  type RawBody,
  type ReceivedHeaders,
  type VerifyOptions,
  verify,
  WebhookVerificationError,
} from "./verify.ts";
