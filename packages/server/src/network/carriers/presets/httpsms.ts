import type { Preset } from "./preset.ts";

export const HTTPSMS: Preset = {
  type: "httpsms",
  title: "httpSMS (Android)",
  version: 1,
  baseUrl: "https://api.httpsms.com",
  options: {
    api_key_env: { about: "Variable with the API key", isRequired: true },
    signing_key_env: { about: "Variable with the webhook's signing key" },
  },
  setup: {
    credentials: "Install the app on the phone, and copy the API key (Settings).",
    callbacks:
      "Add a webhook with a signing key at the inbound URL, for message.phone.received, .sent and .delivered, and message.send.failed and .expired.",
  },
  sources: [
    "https://docs.httpsms.com/webhooks/introduction",
    "https://github.com/NdoleStudio/httpsms (api/pkg/requests, api/pkg/events)",
  ],
  unconfirmed: ["the API key goes in the header x-api-key"],
  entry: {
    url: "{{base_url}}/v1/messages/send",
    headers: { "x-api-key": "{{env.{{option.api_key_env}}}}" },
    body: {
      from: "{{from}}",
      to: "{{to}}",
      content: "{{body}}",
      request_id: "{{reference}}",
    },
    answer: { id: "data.id" },
    callbacks: {
      secret_env: "{{option.api_key_env}}",
      "signature?signing_key_env": {
        type: "jwt",
        url_claim: "aud",
        key_env: "{{option.signing_key_env}}",
      },
      receipts: {
        when: {
          type: [
            "message.phone.sent",
            "message.phone.delivered",
            "message.send.failed",
            "message.send.expired",
          ],
        },
        id: ["data.id", "data.message_id"],
        reference: "data.request_id",
        status: "type",
        error: "data.error_message",
        statuses: {
          "message.phone.sent": "intermediate",
          "message.phone.delivered": "delivered",
          "message.send.failed": "unreachable",
          "message.send.expired": "expired",
        },
      },
      inbound: {
        when: { type: "message.phone.received" },
        id: "data.message_id",
        from: "data.contact",
        to: "data.owner",
        body: "data.content",
      },
    },
  },
};
