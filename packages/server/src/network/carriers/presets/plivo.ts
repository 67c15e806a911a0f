import type { Preset } from "./preset.ts";

export const PLIVO: Preset = {
  type: "plivo",
  title: "Plivo",
  version: 1,
  baseUrl: "https://api.plivo.com",
  options: {
    auth_id: { about: "Auth ID", isRequired: true },
    auth_token_env: {
      about: "Variable with the auth token, which also checks callbacks",
      isRequired: true,
    },
  },
  setup: {
    credentials: "Copy auth ID and auth token from the console's first page.",
    callbacks:
      "Create an application whose message URL is the inbound URL (POST), and assign it to the numbers. Messages name the receipts URL themselves.",
  },
  sources: [
    "https://www.plivo.com/docs/messaging/api/message",
    "https://www.plivo.com/docs/messaging/concepts/message-error-codes",
    "https://github.com/plivo/plivo-node (lib/utils/security.js, lib/utils/v3Security.js)",
  ],
  unconfirmed: [
    "the answer to a send is 202, to a throttled one 429",
    "receipts of a long message name the id of the answer as ParentMessageUUID; the first final part decides",
  ],
  entry: {
    url: "{{base_url}}/v1/Account/{{option.auth_id}}/Message/",
    auth: { type: "basic", user: "{{option.auth_id}}", password_env: "{{option.auth_token_env}}" },
    body: {
      src: "{{from_digits}}",
      dst: "{{to_digits}}",
      text: "{{body}}",
      url: "{{receipts_url}}",
      method: "POST",
    },
    answer: { id: "message_uuid[0]" },
    callbacks: {
      signature: [
        {
          header: "X-Plivo-Signature-V3",
          encoding: "base64",
          signed: "{{url}}?{{params}}.{{header.X-Plivo-Signature-V3-Nonce}}",
          key_env: "{{option.auth_token_env}}",
        },
        {
          header: "X-Plivo-Signature-V2",
          encoding: "base64",
          signed: "{{url}}{{header.X-Plivo-Signature-V2-Nonce}}",
          key_env: "{{option.auth_token_env}}",
        },
      ],
      receipts: {
        id: ["ParentMessageUUID", "MessageUUID"],
        status: "Status",
        error: "ErrorCode",
        statuses: {
          queued: "intermediate",
          sent: "intermediate",
          delivered: "delivered",
          undelivered: "unreachable",
          failed: "carrier_rejected",
          rejected: "carrier_rejected",
        },
        errors: {
          "30": "carrier_filtered",
          "50": "invalid_number",
          "70": "unreachable",
          "80": "unreachable",
          "200": "opted_out",
          "420": "expired",
        },
      },
      inbound: { id: "MessageUUID", from: "From", to: "To", body: "Text" },
    },
  },
};
