import { POLL_SECONDS, type Preset } from "./preset.ts";

const STATUSES = {
  created: "intermediate",
  sent: "intermediate",
  delivered: "delivered",
  failed: "unreachable",
} as const;

/** The history of both directions, newest first. `end` is the time after which messages are wanted. */
const HISTORY = {
  url: "{{base_url}}/a1/sms",
  query: { end: "{{since_utc}}", limit: "100" },
  list: "data",
  pages: { next: "next", query: "start" },
} as const;

export const ELKS46: Preset = {
  type: "46elks",
  title: "46elks",
  version: 3,
  baseUrl: "https://api.46elks.com",
  options: {
    user: { about: "API user name", isRequired: true },
    password_env: { about: "Variable with the API password", isRequired: true },
    poll_seconds: POLL_SECONDS,
    currency: {
      about: "Currency of the account, to store what messages cost",
      form: /^[A-Z]{3}$/,
      takes: "a code such as EUR",
    },
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
    "https://46elks.com/docs/sms-history",
    "https://46elks.se/docs/list-numbers",
    "https://46elks.se/docs/configure-number",
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
      "whendelivered?!poll_seconds": "{{receipts_url}}?ref={{reference}}",
    },
    answer: {
      id: "id",
      status: "status",
      statuses: { created: "accepted", sent: "accepted", failed: "carrier_rejected" },
      // In 10,000ths of the account's currency, which no answer names.
      "cost?currency": "cost",
      "cost_per?currency": 10_000,
      "currency_code?currency": "{{option.currency}}",
    },
    "poll?poll_seconds": {
      every_seconds: "{{option.poll_seconds}}",
      receipts: {
        ...HISTORY,
        when: { direction: ["outgoing", "outgoing-reply"] },
        id: "id",
        status: "status",
        statuses: STATUSES,
      },
      inbound: {
        ...HISTORY,
        when: { direction: "incoming" },
        id: "id",
        from: "from",
        to: "to",
        body: "message",
      },
    },
    "callbacks?!poll_seconds": {
      secret_env: "{{option.password_env}}",
      receipts: {
        id: "id",
        reference: "$query.ref",
        status: "status",
        statuses: STATUSES,
      },
      // The default answer is empty: 46elks texts any other body to the person.
      inbound: { id: "id", from: "from", to: "to", body: "message" },
    },
  },
};
