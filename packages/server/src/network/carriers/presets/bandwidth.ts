import type { Preset } from "./preset.ts";

export const BANDWIDTH: Preset = {
  type: "bandwidth",
  title: "Bandwidth",
  version: 2,
  baseUrl: "https://messaging.bandwidth.com",
  options: {
    account_id: { about: "Account ID", isRequired: true, form: /^\d{1,20}$/, takes: "digits" },
    application_id: { about: "ID of the messaging application", isRequired: true },
    user: { about: "API user", isRequired: true },
    password_env: { about: "Variable with the API password", isRequired: true },
    callback_user: { about: "User that the application's callbacks log in with" },
    callback_password_env: { about: "Variable with the password of callback_user" },
  },
  setup: {
    credentials:
      "Create an API user, and a messaging application. Give the application a callback user and password.",
    callbacks:
      "In the application, set the inbound callback URL to the inbound URL and the status callback URL to the receipts URL.",
  },
  sources: [
    "https://dev.bandwidth.com/docs/messaging/createMessage",
    "https://dev.bandwidth.com/docs/messaging/webhooks",
    "https://dev.bandwidth.com/docs/messaging/errors",
    "https://github.com/Bandwidth/api-docs (rateLimits.mdx, messaging.yml)",
    "https://github.com/Bandwidth/python-sdk (docs/MessageRequest.md)",
  ],
  unconfirmed: [
    "message-delivered means that the recipient's carrier has the message",
    "4772 concerns our own number, so it is no opt-out",
  ],
  entry: {
    url: "{{base_url}}/api/v2/users/{{option.account_id}}/messages",
    auth: { type: "basic", user: "{{option.user}}", password_env: "{{option.password_env}}" },
    body: {
      applicationId: "{{option.application_id}}",
      to: ["{{to}}"],
      from: "{{from}}",
      text: "{{body}}",
      tag: "{{reference}}",
      expiration: "{{valid_until}}",
    },
    // Bandwidth's limits count segments.
    rate_unit: "segments",
    answer: {
      id: "id",
      error: "type",
      errors: { "max-message-queue-size-exceeded": "slow_down" },
    },
    callbacks: {
      secret_env: "{{option.password_env}}",
      "signature?callback_user": {
        type: "basic",
        user: "{{option.callback_user}}",
        password_env: "{{option.callback_password_env}}",
      },
      receipts: {
        list: "[]",
        when: { type: ["message-sending", "message-delivered", "message-failed"] },
        id: "message.id",
        reference: "message.tag",
        status: "type",
        error: "errorCode",
        statuses: {
          "message-sending": "intermediate",
          "message-delivered": "delivered",
          "message-failed": "unreachable",
        },
        errors: {
          "4303": "invalid_number",
          "4360": "expired",
          "4470": "carrier_filtered",
          "4475": "opted_out",
          "4700": "landline",
          "4701": "unreachable",
          "4702": "unreachable",
          "4720": "invalid_number",
          "4770": "carrier_filtered",
          "4771": "carrier_filtered",
          "4772": "carrier_rejected",
          "4775": "opted_out",
        },
      },
      inbound: {
        list: "[]",
        when: { type: "message-received" },
        id: "message.id",
        from: "message.from",
        to: ["message.owner", "to"],
        body: "message.text",
      },
    },
  },
};
