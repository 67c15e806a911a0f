import { POLL_SECONDS, type Preset } from "./preset.ts";

/** Both lists are arrays without a frame, and take a begin and an offset. */
const PAGES = {
  query: { from: "{{since}}", limit: "100" },
  list: "[]",
  pages: { by: "offset", query: "offset" },
} as const;

const SERVER_MESSAGES = "/3rdparty/v1/messages";
/** The app's own server has no prefix. */
const LOCAL_MESSAGES = "/messages";

const SIGNED = {
  secret_env: "{{option.password_env}}",
  "signature?signing_key_env": {
    header: "X-Signature",
    timestamp_header: "X-Timestamp",
    signed: "{{body}}{{timestamp}}",
    key_env: "{{option.signing_key_env}}",
  },
} as const;

const INBOUND = {
  when: { event: "sms:received" },
  // The id of the message is not unique; that of the event is.
  id: "id",
  from: ["payload.sender", "payload.phoneNumber"],
  to: "payload.recipient",
  body: "payload.message",
} as const;

export const SMSGATE: Preset = {
  type: "smsgate",
  title: "SMSGate (Android)",
  version: 3,
  baseUrl: null,
  options: {
    user: { about: "User name of the app or its server", isRequired: true },
    password_env: { about: "Variable with the password", isRequired: true },
    signing_key_env: { about: "Variable with the app's webhook signing key" },
    local: {
      about: "true where the address is the app's own server, false for a cloud or private server",
      isFlag: true,
    },
    device_id: { about: "Device to send with, where the server knows several" },
    sim: { about: "SIM slot, from 1", isNumber: true },
    poll_seconds: POLL_SECONDS,
  },
  setup: {
    credentials:
      "Install the app on the phone, and note user name and password of its server. Set a signing key of at least 16 characters (Settings, Webhooks).",
    callbacks:
      "Register webhooks for sms:sent, sms:delivered, sms:failed and sms:cancelled at the receipts URL, and for sms:received at the inbound URL. The app calls https addresses only.",
  },
  sources: [
    "https://docs.sms-gate.app/features/webhooks/",
    "https://docs.sms-gate.app/getting-started/private-server/",
    "https://github.com/android-sms-gateway/server (handlers of messages, inbox and webhooks)",
    "https://github.com/capcom6/android-sms-gateway (modules/incoming, modules/localserver)",
  ],
  unconfirmed: [],
  entry: {
    "url?local": `{{base_url}}${LOCAL_MESSAGES}`,
    "url?!local": `{{base_url}}${SERVER_MESSAGES}`,
    auth: { type: "basic", user: "{{option.user}}", password_env: "{{option.password_env}}" },
    body: {
      id: "{{reference}}",
      textMessage: { text: "{{body}}" },
      phoneNumbers: ["{{to}}"],
      withDeliveryReport: true,
      ttl: "{{validity_seconds|min=5}}",
      "simNumber?sim": "{{option.sim}}",
      "deviceId?device_id": "{{option.device_id}}",
    },
    answer: {
      id: "id",
      // The message is there already: an earlier request arrived.
      http_statuses: { "409": "accepted" },
      reference_is_id: true,
    },
    "poll?poll_seconds": {
      every_seconds: "{{option.poll_seconds}}",
      receipts: {
        "url?local": `{{base_url}}${LOCAL_MESSAGES}`,
        "url?!local": `{{base_url}}${SERVER_MESSAGES}`,
        ...PAGES,
        id: "id",
        reference: "id",
        status: ["recipients[0].state", "state"],
        error: "recipients[0].error",
        statuses: {
          pending: "intermediate",
          processed: "intermediate",
          sent: "intermediate",
          delivered: "delivered",
          failed: "unreachable",
          cancelled: "carrier_rejected",
        },
      },
      // Elsewhere the inbox answers 501.
      "inbound?local": {
        url: "{{base_url}}/inbox",
        ...PAGES,
        when: { type: "SMS" },
        id: "id",
        from: "sender",
        to: "recipient",
        body: "contentPreview",
      },
    },
    // The phone's webhooks bring replies where no list has them.
    "callbacks?poll_seconds?!local": { ...SIGNED, inbound: INBOUND },
    "callbacks?!poll_seconds": {
      ...SIGNED,
      receipts: {
        when: { event: ["sms:sent", "sms:delivered", "sms:failed", "sms:cancelled"] },
        id: "payload.messageId",
        reference: "payload.messageId",
        status: "event",
        error: "payload.reason",
        statuses: {
          "sms:sent": "intermediate",
          "sms:delivered": "delivered",
          "sms:failed": "unreachable",
          "sms:cancelled": "carrier_rejected",
        },
      },
      inbound: INBOUND,
    },
  },
};
