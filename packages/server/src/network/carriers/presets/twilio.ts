import { type JsonObject, POLL_SECONDS, type Preset } from "./preset.ts";

/** Codes of https://www.twilio.com/docs/api/errors that a send answers; SignalWire uses them, too. */
export const TWILIO_SEND_ERRORS: JsonObject = {
  "20003": "connection",
  "20404": "connection",
  "20429": "slow_down",
  "14107": "slow_down",
  "30001": "slow_down",
  "21211": "invalid_number",
  "21217": "invalid_number",
  "21610": "opted_out",
  "21614": "landline",
  "21617": "carrier_rejected",
  // Single messages are refused with 403, too.
  "*": "carrier_rejected",
};

export const TWILIO_RECEIPT_ERRORS: JsonObject = {
  "21610": "opted_out",
  "30003": "unreachable",
  "30004": "recipient_blocked",
  "30005": "invalid_number",
  "30006": "landline",
  "30007": "carrier_filtered",
  "30008": "unreachable",
  "30036": "expired",
};

export const TWILIO_STATUSES: JsonObject = {
  accepted: "intermediate",
  scheduled: "intermediate",
  queued: "intermediate",
  sending: "intermediate",
  sent: "intermediate",
  delivered: "delivered",
  read: "delivered",
  undelivered: "unreachable",
  failed: "carrier_rejected",
  canceled: "carrier_rejected",
};

/** The list of messages of Twilio's API, which holds both directions, newest first. */
export function lamlPolling(url: string, query: JsonObject): JsonObject {
  const list = { url, query, list: "messages", pages: { next: "next_page_uri" } };
  return {
    every_seconds: "{{option.poll_seconds}}",
    receipts: {
      ...list,
      when: { direction: ["outbound-api", "outbound-reply"] },
      id: "sid",
      status: "status",
      error: "error_code",
      cost: "price",
      currency: "price_unit",
      statuses: TWILIO_STATUSES,
      errors: TWILIO_RECEIPT_ERRORS,
    },
    inbound: {
      ...list,
      when: { direction: "inbound" },
      id: "sid",
      from: "from",
      to: "to",
      body: "body",
    },
  };
}

export const TWILIO: Preset = {
  type: "twilio",
  title: "Twilio",
  version: 3,
  baseUrl: "https://api.twilio.com",
  options: {
    account_sid: {
      about: "Account SID",
      isRequired: true,
      form: /^AC[0-9a-f]{32}$/,
      takes: "AC and 32 hex digits",
    },
    auth_token_env: {
      about: "Variable with the auth token, which also checks callbacks",
      isRequired: true,
    },
    messaging_service_sid: {
      about: "Messaging service to send with",
      form: /^MG[0-9a-f]{32}$/,
      takes: "MG and 32 hex digits",
    },
    poll_seconds: POLL_SECONDS,
  },
  setup: {
    credentials: "Copy the account SID and the auth token from the console's first page.",
    callbacks:
      'At each number, or in the messaging service, set "A message comes in" to the inbound URL (HTTP POST). Messages name the receipts URL themselves.',
  },
  sources: [
    "https://www.twilio.com/docs/messaging/api/message-resource",
    "https://www.twilio.com/docs/usage/webhooks/webhooks-security",
    "https://www.twilio.com/docs/messaging/guides/track-outbound-message-status",
    "https://www.twilio.com/docs/api/errors",
  ],
  unconfirmed: ["14107 is a rate limit", "status callbacks are never repeated"],
  entry: {
    url: "{{base_url}}/2010-04-01/Accounts/{{option.account_sid}}/Messages.json",
    format: "form",
    auth: {
      type: "basic",
      user: "{{option.account_sid}}",
      password_env: "{{option.auth_token_env}}",
    },
    body: {
      To: "{{to}}",
      From: "{{from}}",
      "MessagingServiceSid?messaging_service_sid": "{{option.messaging_service_sid}}",
      Body: "{{body}}",
      // Twilio echoes no reference, but calls exactly this URL.
      "StatusCallback?!poll_seconds": "{{receipts_url}}?ref={{reference}}",
      ValidityPeriod: "{{validity_seconds|min=1,max=36000}}",
    },
    answer: { id: "sid", error: "code", errors: TWILIO_SEND_ERRORS },
    "poll?poll_seconds": lamlPolling(
      "{{base_url}}/2010-04-01/Accounts/{{option.account_sid}}/Messages.json",
      { "DateSent>": "{{since}}", PageSize: "200" },
    ),
    "callbacks?!poll_seconds": {
      signature: {
        header: "X-Twilio-Signature",
        algorithm: "sha1",
        encoding: "base64",
        signed: "{{url}}{{params}}",
        key_env: "{{option.auth_token_env}}",
      },
      receipts: {
        id: ["MessageSid", "SmsSid"],
        reference: "$query.ref",
        status: ["MessageStatus", "SmsStatus"],
        error: "ErrorCode",
        statuses: TWILIO_STATUSES,
        errors: TWILIO_RECEIPT_ERRORS,
      },
      inbound: { id: ["MessageSid", "SmsSid"], from: "From", to: "To", body: "Body" },
    },
  },
};
