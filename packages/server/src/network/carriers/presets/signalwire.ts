import { POLL_SECONDS, type Preset } from "./preset.ts";
import {
  lamlPolling,
  TWILIO_RECEIPT_ERRORS,
  TWILIO_SEND_ERRORS,
  TWILIO_STATUSES,
} from "./twilio.ts";

/** SignalWire accepts a callback's answer only as XML. */
const EMPTY_XML = {
  content_type: "text/xml",
  body: '<?xml version="1.0" encoding="UTF-8"?><Response/>',
};

export const SIGNALWIRE: Preset = {
  type: "signalwire",
  title: "SignalWire",
  version: 3,
  baseUrl: null,
  options: {
    project_id: { about: "Project ID", isRequired: true, form: /^[0-9a-f-]{36}$/, takes: "a UUID" },
    token_env: { about: "Variable with the API token", isRequired: true },
    signing_key_env: { about: "Variable with the project's signing key, which checks callbacks" },
    poll_seconds: POLL_SECONDS,
  },
  setup: {
    credentials:
      "In the space, create an API token with the scope Messaging, and copy project ID and signing key (API credentials).",
    callbacks:
      "At each number, set the message webhook to the inbound URL (POST). Messages name the receipts URL themselves.",
  },
  sources: [
    "https://developer.signalwire.com/compatibility-api/rest/messages/create-message",
    "https://developer.signalwire.com/compatibility-api/client-sdks/methods/messaging/list",
    "https://developer.signalwire.com/compatibility-api/guides/general/webhook-security",
  ],
  unconfirmed: [
    "error codes are those of Twilio",
    "callbacks carry the signature in X-SignalWire-Signature",
    "ValidityPeriod has Twilio's bounds",
  ],
  entry: {
    url: "{{base_url}}/api/laml/2010-04-01/Accounts/{{option.project_id}}/Messages.json",
    format: "form",
    auth: { type: "basic", user: "{{option.project_id}}", password_env: "{{option.token_env}}" },
    body: {
      To: "{{to}}",
      From: "{{from}}",
      Body: "{{body}}",
      "StatusCallback?!poll_seconds": "{{receipts_url}}?ref={{reference}}",
      ValidityPeriod: "{{validity_seconds|min=1,max=36000}}",
    },
    answer: { id: "sid", error: "code", errors: TWILIO_SEND_ERRORS },
    "poll?poll_seconds": lamlPolling(
      "{{base_url}}/api/laml/2010-04-01/Accounts/{{option.project_id}}/Messages.json",
      { "DateSent>": "{{since_date}}", PageSize: "200" },
    ),
    "callbacks?!poll_seconds": {
      secret_env: "{{option.token_env}}",
      "signature?signing_key_env": {
        header: "X-SignalWire-Signature",
        algorithm: "sha1",
        encoding: "base64",
        signed: "{{url}}{{params}}",
        key_env: "{{option.signing_key_env}}",
      },
      receipts: {
        id: ["MessageSid", "SmsSid"],
        reference: "$query.ref",
        status: ["MessageStatus", "SmsStatus"],
        error: "ErrorCode",
        statuses: TWILIO_STATUSES,
        errors: TWILIO_RECEIPT_ERRORS,
        answer: EMPTY_XML,
      },
      inbound: {
        id: ["MessageSid", "SmsSid"],
        from: "From",
        to: "To",
        body: "Body",
        answer: EMPTY_XML,
      },
    },
  },
};
