import type { Preset } from "./preset.ts";

export const ELKS46: Preset = {
  type: "46elks",
  title: "46elks",
  version: 1,
  baseUrl: "https://api.46elks.com",
  options: {
    user: { about: "API user name", isRequired: true },
    password_env: { about: "Variable with the API password", isRequired: true },
  },
  setup: {
    credentials: "Copy API user name and password from the dashboard.",
    callbacks:
      "At each number, set sms_url to the inbound URL. Messages name the receipts URL themselves.",
  },
  sources: [
    "https://46elks.se/docs/send-sms",
    "https://46elks.se/docs/sms-delivery-reports",
    "https://46elks.se/docs/receive-sms",
  ],
  unconfirmed: ["a refused send is a 4xx whose text is no code"],
  entry: {
    url: "{{base_url}}/a1/sms",
    format: "form",
    auth: { type: "basic", user: "{{option.user}}", password_env: "{{option.password_env}}" },
    body: {
      from: "{{from}}",
      to: "{{to}}",
      message: "{{body}}",
      whendelivered: "{{receipts_url}}?ref={{reference}}",
    },
    answer: {
      id: "id",
      status: "status",
      statuses: { created: "accepted", sent: "accepted", failed: "carrier_rejected" },
    },
    callbacks: {
      secret_env: "{{option.password_env}}",
      receipts: {
        id: "id",
        reference: "$query.ref",
        status: "status",
        statuses: { sent: "intermediate", delivered: "delivered", failed: "unreachable" },
      },
      // The default answer is empty: 46elks texts any other body to the person.
      inbound: { id: "id", from: "from", to: "to", body: "message" },
    },
  },
};
