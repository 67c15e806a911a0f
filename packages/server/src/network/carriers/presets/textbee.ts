import { POLL_SECONDS, type Preset } from "./preset.ts";

/** The phone's messages, newest first. */
const MESSAGES = {
  url: "{{base_url}}/api/v1/gateway/devices/{{option.device_id}}/messages",
  list: "data",
  pages: { query: "page" },
  at: "createdAt",
} as const;

export const TEXTBEE: Preset = {
  type: "textbee",
  title: "textbee (Android)",
  version: 3,
  baseUrl: "https://api.textbee.dev",
  options: {
    device_id: { about: "ID of the phone", isRequired: true },
    api_key_env: { about: "Variable with the API key", isRequired: true },
    signing_secret_env: {
      about: "Variable with the webhook's signing secret, of 20 characters at least",
      charsMin: 20,
    },
    phone_number: {
      about: "Number of the phone",
      isRequired: true,
      form: /^\+1\d{10}$/,
      takes: "a number as +14155550100",
    },
    poll_seconds: POLL_SECONDS,
  },
  setup: {
    credentials: "Register the phone in the app, and create an API key.",
    callbacks:
      "Add a webhook for all events with a signing secret of 20 characters at least, at the inbound URL.",
  },
  sources: [
    "https://github.com/vernu/textbee (api/src/gateway/gateway.dto.ts, gateway.service.ts)",
    "https://github.com/vernu/textbee (api/src/webhook)",
  ],
  unconfirmed: [
    "without a queue the answer has no smsBatchId; receipts then match no message",
    "the answer wraps its fields in data",
  ],
  entry: {
    url: "{{base_url}}/api/v1/gateway/devices/{{option.device_id}}/send-sms",
    headers: { "x-api-key": "{{env.{{option.api_key_env}}}}" },
    body: { recipients: ["{{to}}"], message: "{{body}}" },
    answer: { id: "data.smsBatchId", reference_is_id: true },
    "poll?poll_seconds": {
      every_seconds: "{{option.poll_seconds}}",
      receipts: {
        ...MESSAGES,
        query: { type: "sent", limit: "100" },
        id: "smsBatch",
        status: "status",
        error: ["errorCode", "errorMessage"],
        statuses: {
          pending: "intermediate",
          sent: "intermediate",
          delivered: "delivered",
          failed: "unreachable",
          unknown: "intermediate",
        },
      },
      inbound: {
        ...MESSAGES,
        query: { type: "received", limit: "100" },
        id: "_id",
        from: "sender",
        to: { number: "{{option.phone_number}}" },
        body: "message",
      },
    },
    "callbacks?!poll_seconds": {
      secret_env: "{{option.api_key_env}}",
      "signature?signing_secret_env": {
        header: "X-Signature",
        signed: "{{body}}",
        key_env: "{{option.signing_secret_env}}",
      },
      receipts: {
        when: {
          webhookEvent: ["MESSAGE_SENT", "MESSAGE_DELIVERED", "MESSAGE_FAILED", "UNKNOWN_STATE"],
        },
        id: "smsBatchId",
        status: "webhookEvent",
        error: ["errorCode", "errorMessage"],
        statuses: {
          message_sent: "intermediate",
          message_delivered: "delivered",
          message_failed: "unreachable",
          unknown_state: "intermediate",
        },
      },
      inbound: {
        when: { webhookEvent: "MESSAGE_RECEIVED" },
        id: "smsId",
        from: "sender",
        to: { number: "{{option.phone_number}}" },
        body: "message",
      },
    },
  },
};
