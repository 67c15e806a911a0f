import type { Preset } from "./preset.ts";

export const INFOBIP: Preset = {
  type: "infobip",
  title: "Infobip",
  version: 3,
  baseUrl: null,
  options: { api_key_env: { about: "Variable with the API key", isRequired: true } },
  setup: {
    credentials: "Copy your base URL and create an API key with the scope for SMS.",
    callbacks:
      "At each number, forward incoming messages to the inbound URL over HTTP (MO_RESPONSE JSON). Messages name the receipts URL themselves.",
  },
  sources: [
    "https://www.infobip.com/docs/api/channels/sms/outbound-sms/send-sms-messages",
    "https://www.infobip.com/docs/api/channels/sms/inbound-sms",
    "https://www.infobip.com/docs/essentials/api-essentials/response-status-and-error-codes",
    "https://github.com/infobip/infobip-api-java-client (SmsMessageOptions, ValidityPeriod)",
  ],
  unconfirmed: [
    "the answer to a throttled send is 429",
    "a validity period is at most 48 hours",
    "callbacks carry no signature by default",
    "pricePerMessage covers all parts of a long message",
  ],
  entry: {
    url: "{{base_url}}/sms/3/messages",
    headers: { authorization: "App {{env.{{option.api_key_env}}}}", accept: "application/json" },
    body: {
      messages: [
        {
          sender: "{{from_digits}}",
          destinations: [{ to: "{{to_digits}}", messageId: "{{reference}}" }],
          content: { text: "{{body}}" },
          options: {
            validityPeriod: { amount: "{{validity_seconds|max=172800}}", timeUnit: "SECONDS" },
          },
          webhooks: { delivery: { url: "{{receipts_url}}", contentType: "application/json" } },
        },
      ],
    },
    answer: {
      id: "messages[0].messageId",
      status: "messages[0].status.groupName",
      statuses: {
        PENDING: "accepted",
        DELIVERED: "accepted",
        UNDELIVERABLE: "unreachable",
        EXPIRED: "expired",
        REJECTED: "carrier_rejected",
      },
      reference_is_id: true,
    },
    callbacks: {
      secret_env: "{{option.api_key_env}}",
      receipts: {
        list: "results",
        id: "messageId",
        // Our own reference is the message's id at Infobip.
        reference: "messageId",
        status: "status.name",
        error: "error.id",
        cost: "price.pricePerMessage",
        currency: "price.currency",
        statuses: {
          "PENDING_*": "intermediate",
          DELIVERED_TO_HANDSET: "delivered",
          DELIVERED_TO_OPERATOR: "intermediate",
          UNDELIVERABLE_REJECTED_OPERATOR: "carrier_rejected",
          "UNDELIVERABLE_*": "unreachable",
          "EXPIRED_*": "expired",
          "REJECTED_*": "carrier_rejected",
        },
        errors: {
          "1": "invalid_number",
          "27": "unreachable",
          "351": "invalid_number",
          "603": "opted_out",
          "607": "carrier_filtered",
        },
      },
      inbound: { list: "results", id: "messageId", from: "from", to: "to", body: "text" },
    },
  },
};
