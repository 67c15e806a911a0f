import { ALERT_CHARS_MAX, BEARER, type HookPresetData } from "./preset.ts";

/** Programs that watch others, or send texts of people. */
export const ALERT_PRESETS: readonly HookPresetData[] = [
  {
    name: "alertmanager",
    title: "Prometheus Alertmanager",
    needsRecipients: true,
    setup:
      "A receiver with webhook_configs: the address as url, the secret in http_config.authorization.credentials.",
    source: "prometheus.io/docs/alerting/latest/configuration/#webhook_config",
    declaration: {
      purpose: "alerts",
      body: "[{{status}}] {{commonLabels.alertname|alerts[].labels.alertname}}: {{commonAnnotations.summary|commonAnnotations.description|alerts[].annotations.summary|alerts[].annotations.description|groupKey}}",
      body_chars_max: ALERT_CHARS_MAX,
      signature: BEARER,
    },
    sample: {
      version: "4",
      groupKey: '{}:{alertname="HighLatency"}',
      truncatedAlerts: 0,
      status: "firing",
      receiver: "longwave",
      groupLabels: { alertname: "HighLatency" },
      commonLabels: { alertname: "HighLatency", severity: "page" },
      commonAnnotations: { summary: "High request latency" },
      externalURL: "https://alertmanager.example.com",
      alerts: [
        {
          status: "firing",
          labels: { alertname: "HighLatency", instance: "api-1", severity: "page" },
          annotations: { summary: "High request latency" },
          startsAt: "2026-01-02T03:04:05.000Z",
          endsAt: "0001-01-01T00:00:00Z",
          generatorURL: "https://prometheus.example.com/graph",
          fingerprint: "c6eadffa33fcdf37",
        },
      ],
    },
  },
  {
    name: "grafana",
    title: "Grafana alerting",
    needsRecipients: true,
    setup:
      "A contact point of type Webhook: the address as URL, and the secret as authorization credentials with the scheme Bearer.",
    source:
      "grafana.com/docs/grafana/latest/alerting/configure-notifications/manage-contact-points/integrations/webhook-notifier",
    declaration: {
      purpose: "alerts",
      body: "{{title}}: {{commonAnnotations.summary|alerts[].annotations.summary|commonAnnotations.description|state}}",
      body_chars_max: ALERT_CHARS_MAX,
      signature: BEARER,
    },
    sample: {
      receiver: "longwave",
      status: "firing",
      orgId: 1,
      alerts: [
        {
          status: "firing",
          labels: { alertname: "High CPU", team: "blue", zone: "us-1" },
          annotations: { summary: "CPU above 80% for five minutes" },
          startsAt: "2026-01-02T03:04:05Z",
          endsAt: "0001-01-01T00:00:00Z",
          fingerprint: "ac1ae3b3f4b4f4a0",
          values: { B: 85.2 },
        },
      ],
      groupLabels: {},
      commonLabels: { team: "blue" },
      commonAnnotations: { summary: "CPU above 80% for five minutes" },
      externalURL: "https://grafana.example.com/",
      version: "1",
      groupKey: "{}:{}",
      truncatedAlerts: 0,
      title: "[FIRING:1]  (blue)",
      state: "alerting",
      message: "**Firing** High CPU",
    },
  },
  {
    name: "uptime_kuma",
    title: "Uptime Kuma",
    needsRecipients: true,
    setup:
      'A notification of type Webhook: the address as Post URL, application/json, and the additional header {"Authorization": "Bearer SECRET"}.',
    source: "github.com/louislam/uptime-kuma server/notification-providers/webhook.js",
    declaration: {
      purpose: "alerts",
      body: "{{msg}}",
      body_chars_max: ALERT_CHARS_MAX,
      signature: BEARER,
    },
    sample: {
      heartbeat: { monitorID: 1, status: 0, time: "2026-01-02 03:04:05.000", msg: "timeout" },
      monitor: { id: 1, name: "website", url: "https://example.com", type: "http" },
      msg: "[website] [🔴 Down] timeout",
    },
  },
  {
    name: "gatus",
    title: "Gatus",
    needsRecipients: true,
    setup:
      "alerting.custom: the address as url, method POST, the secret as Bearer token, and a form as body.",
    source: "github.com/TwiN/gatus alerting/provider/custom/custom.go",
    declaration: {
      purpose: "alerts",
      body: "{{name}} {{state}}: {{description}}",
      body_chars_max: ALERT_CHARS_MAX,
      signature: BEARER,
    },
    sample: { name: "website", state: "TRIGGERED", description: "health check failed" },
  },
  {
    name: "home_assistant",
    title: "Home Assistant",
    setup:
      "notify, platform rest: the address as resource, method POST_JSON, target_param_name target, and the secret as Bearer token.",
    source: "home-assistant.io/integrations/notify.rest",
    declaration: {
      purpose: "alerts",
      to: ["target"],
      body: "{{message}}",
      body_chars_max: ALERT_CHARS_MAX,
      signature: BEARER,
    },
    sample: { message: "The front door is open.", target: "+15005550000" },
  },
  {
    name: "novu",
    title: "Novu",
    setup:
      "An SMS Webhook integration: the address as Base URL, x-api-key as API key request header, the secret as API key, id as Id path, date as Date path.",
    source: "github.com/novuhq/novu packages/providers/src/lib/sms/generic-sms",
    declaration: {
      purpose: "messages",
      to: ["to"],
      body: "{{content}}",
      signature: { type: "token", header: "x-api-key", prefix: "" },
      answer: {
        status: 200,
        content_type: "application/json",
        body: '{"id":"{{message_id}}","date":"{{created_at}}"}',
      },
    },
    sample: {
      to: "+15005550000",
      content: "Your order has shipped.",
      id: "67b6f0d1c3a1e5f6a7b8c9d0",
      sender: "Novu",
      attachments: null,
    },
  },
  {
    name: "listmonk",
    title: "listmonk",
    setup:
      "Settings, Messengers: the address as URL, listmonk as user name, the secret as password. Subscribers need the attribute phone.",
    source: "listmonk.app/docs/messengers; github.com/knadh/listmonk internal/messenger/postback",
    declaration: {
      purpose: "messages",
      list: "recipients",
      to: ["attribs.phone"],
      body: "{{$root.body}}",
      // Retries of a campaign's message repeat both identifiers.
      id: "{{$root.campaign.uuid}}-{{uuid}}",
      signature: { type: "basic", user: "listmonk" },
      answer: { status: 200 },
    },
    sample: {
      subject: "Welcome to listmonk",
      content_type: "plain",
      body: "The spring sale starts today.",
      recipients: [
        {
          uuid: "e44b4135-1e1d-40c5-8a30-0f9a886c2884",
          email: "anon@example.com",
          name: "Anon Doe",
          attribs: { phone: "+15005550000", city: "Bengaluru" },
          status: "enabled",
        },
      ],
      campaign: {
        uuid: "2e7e4b51-f31b-418a-a120-e41800cb689f",
        name: "Test campaign",
        headers: [],
        tags: ["test-campaign"],
      },
    },
  },
];
