import { POLL_SECONDS, type Preset } from "./preset.ts";

/** Report of one recipient, in a callback and in the list alike. */
const REPORT = {
  id: "batch_id",
  reference: "client_reference",
  status: "status",
  error: "code",
  statuses: {
    queued: "intermediate",
    dispatched: "intermediate",
    unknown: "intermediate",
    delivered: "delivered",
    aborted: "carrier_rejected",
    cancelled: "carrier_rejected",
    rejected: "carrier_rejected",
    deleted: "carrier_rejected",
    failed: "unreachable",
    expired: "expired",
  },
  errors: { "402": "unreachable", "404": "unreachable", "406": "expired" },
} as const;

const INBOUND = { id: "id", from: "from", to: "to", body: "body" } as const;

/** Both lists begin at a time, and count their pages from 0. */
const PAGES = {
  query: { start_date: "{{since}}", page_size: "100" },
  pages: { query: "page", first: 0 },
} as const;

export const SINCH: Preset = {
  type: "sinch",
  title: "Sinch",
  version: 3,
  baseUrl: "https://{{option.region}}.sms.api.sinch.com",
  options: {
    plan_id: { about: "Service plan ID", isRequired: true },
    token_env: { about: "Variable with the API token", isRequired: true },
    region: {
      about: "Region of the plan",
      default: "us",
      form: /^(?:us|eu|au|br|ca)$/,
      takes: "us, eu, au, br or ca",
    },
    webhook_secret_env: { about: "Variable with the webhook secret, which checks callbacks" },
    poll_seconds: POLL_SECONDS,
  },
  setup: {
    credentials:
      "Copy the service plan ID and its API token. Ask Sinch for a webhook secret to have callbacks signed.",
    callbacks:
      "In the service plan, set the callback URL to the inbound URL. Messages name the receipts URL themselves.",
  },
  sources: [
    "https://developers.sinch.com/docs/sms/api-reference/sms/tag/Batches",
    "https://developers.sinch.com/docs/sms/api-reference/sms/tag/Webhooks",
    "https://developers.sinch.com/docs/sms/api-reference/status-codes",
    "https://developers.sinch.com/docs/sms/api-reference/sms/tag/Delivery-reports",
    "https://developers.sinch.com/docs/sms/api-reference/sms/tag/Inbounds",
  ],
  unconfirmed: ["the answer to a send is 201", "the answer to a throttled send is 429"],
  entry: {
    url: "{{base_url}}/xms/v1/{{option.plan_id}}/batches",
    auth: { type: "bearer", token_env: "{{option.token_env}}" },
    body: {
      from: "{{from_digits}}",
      to: ["{{to_digits}}"],
      body: "{{body}}",
      delivery_report: "per_recipient",
      "callback_url?!poll_seconds": "{{receipts_url}}",
      client_reference: "{{reference}}",
      expire_at: "{{valid_until}}",
    },
    answer: { id: "id", error: "code" },
    "poll?poll_seconds": {
      every_seconds: "{{option.poll_seconds}}",
      receipts: {
        url: "{{base_url}}/xms/v1/{{option.plan_id}}/delivery_reports",
        list: "delivery_reports",
        ...PAGES,
        ...REPORT,
      },
      inbound: {
        url: "{{base_url}}/xms/v1/{{option.plan_id}}/inbounds",
        list: "inbounds",
        when: { type: "mo_text" },
        ...PAGES,
        ...INBOUND,
      },
    },
    "callbacks?!poll_seconds": {
      secret_env: "{{option.token_env}}",
      "signature?webhook_secret_env": {
        header: "x-sinch-webhook-signature",
        encoding: "base64",
        timestamp_header: "x-sinch-webhook-signature-timestamp",
        signed: "{{body}}.{{header.x-sinch-webhook-signature-nonce}}.{{timestamp}}",
        key_env: "{{option.webhook_secret_env}}",
      },
      receipts: { when: { type: "recipient_delivery_report_sms" }, ...REPORT },
      inbound: { when: { type: "mo_text" }, ...INBOUND },
    },
  },
};
