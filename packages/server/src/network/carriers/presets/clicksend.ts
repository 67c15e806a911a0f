import type { Preset } from "./preset.ts";

export const CLICKSEND: Preset = {
  type: "clicksend",
  title: "ClickSend",
  version: 3,
  baseUrl: "https://rest.clicksend.com",
  options: {
    user: { about: "User name of the account", isRequired: true },
    api_key_env: { about: "Variable with the API key", isRequired: true },
  },
  setup: {
    credentials: "Copy user name and API key (API credentials).",
    callbacks:
      "Add a delivery receipt rule and an inbound rule for all numbers, each with the action URL (POST) and its URL.",
  },
  sources: [
    "https://developers.clicksend.com/docs/messaging/sms",
    "https://developers.clicksend.com/docs/automations/sms",
    "https://developers.clicksend.com/docs/messaging/sender_ids/numbers",
  ],
  unconfirmed: [
    "fields of delivery receipts (message_id, status_code, custom_string) and of inbound messages (message_id, from, to, body)",
    "status codes 200, 201, 300, 301 and 302 of delivery receipts",
    "callbacks carry no signature",
    "data.total_price of a send is in the currency of data._currency.currency_name_short",
    "the answer to a throttled send is 429",
    "a delivery receipt rule takes webhook_type, as an inbound rule does",
  ],
  entry: {
    url: "{{base_url}}/v3/sms/send",
    auth: { type: "basic", user: "{{option.user}}", password_env: "{{option.api_key_env}}" },
    body: {
      messages: [
        {
          source: "longwave",
          from: "{{from}}",
          to: "{{to}}",
          body: "{{body}}",
          custom_string: "{{reference}}",
        },
      ],
    },
    answer: {
      id: "data.messages[0].message_id",
      status: "data.messages[0].status",
      statuses: {
        SUCCESS: "accepted",
        INVALID_RECIPIENT: "invalid_number",
        THROTTLED: "slow_down",
        INSUFFICIENT_CREDIT: "connection",
        MISSING_CREDENTIALS: "connection",
        INVALID_CREDENTIALS: "connection",
        ACCOUNT_NOT_ACTIVATED: "connection",
        "*": "carrier_rejected",
      },
      cost: "data.total_price",
      currency: "data._currency.currency_name_short",
    },
    callbacks: {
      secret_env: "{{option.api_key_env}}",
      receipts: {
        id: "message_id",
        reference: "custom_string",
        status: "status_code",
        error: "error_code",
        statuses: {
          "200": "intermediate",
          "201": "delivered",
          "300": "intermediate",
          "301": "unreachable",
          "302": "unreachable",
        },
      },
      inbound: { id: "message_id", from: "from", to: "to", body: ["body", "message"] },
    },
  },
};
