import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { RouteSpec } from "@longwave/contract";
import { apiRoutes, testScopes } from "../../../testing/scope-walk.ts";

testScopes({ isWhole: false });

describe("the scope table", () => {
  // Scopes of the interface, and the families without a scope.
  const FAMILIES: readonly [path: RegExp, read: RouteSpec["scope"], write: RouteSpec["scope"]][] = [
    [/^\/v1\/account\/twilio_auth_token\/roll$/, "full_access", "full_access"],
    [/^\/v1\/webhooks\/\{id\}\/rotate_secret$/, "webhooks", "full_access"],
    [/^\/v1\/(messages|batches|scheduled_messages|schedules)\b/, "messages:read", "messages:send"],
    [/^\/v1\/(conversations|snippets)\b/, "messages:read", "messages:send"],
    [/^\/v1\/(hooks|hook-presets)\b/, "messages:read", "full_access"],
    [/^\/v1\/(deliverability|usage)\b/, "messages:read", "messages:send"],
    [/^\/console\/v1\/imports\b/, "full_access", "full_access"],
    [/^\/v1\/test\/inbound$/, "messages:send", "messages:send"],
    [/^\/v1\/(numbers|pools|port_requests)\b/, "numbers:read", "numbers:write"],
    [/^\/v1\/verify\b/, "verify", "verify"],
    [/^\/v1\/consent\b/, "consent", "consent"],
    [/^\/v1\/lookup\b/, "lookup", "lookup"],
    [/^\/v1\/events\b/, "webhooks", "webhooks"],
    [/^\/v1\/webhooks(\/deliveries|\/undelivered)?$/, "webhooks", "webhooks:write"],
    [/^\/v1\/webhooks\/\{/, "webhooks:write", "webhooks:write"],
    [/^\/v1\/exports\/webhook_deliveries$/, "webhooks", "webhooks"],
    [/^\/v1\/customers\b/, "customers", "customers"],
    [/^\/v1\/(contacts|segments|topics)\b/, "contacts", "contacts"],
    [/^\/v1\/exports\/contacts$/, "contacts", "contacts"],
    [/^\/v1\/exports\/(messages|batches)\b/, "messages:read", "messages:read"],
    [/^\/v1\/exports\/events$/, "webhooks", "webhooks"],
    [/^\/v1\/exports\/consent$/, "consent", "consent"],
    [
      /^\/v1\/(verified_numbers|live-access|erasures|personal_data)\b/,
      "full_access",
      "full_access",
    ],
    [/^\/v1\/registrations\b/, "registrations", "registrations"],
    [/^\/v1\/spend-limit$/, "billing", "billing"],
    [/^\/v1\/(track|automations)\b/, "automations", "automations"],
    [/^\/v1\/audit-logs$/, "audit_logs:read", "audit_logs:read"],
    [/^\/v1\/exports\/audit_log$/, "audit_logs:read", "audit_logs:read"],
  ];

  for (const [name, spec] of apiRoutes) {
    if (spec.path === "/v1/account") continue;
    it(`${name} has the scope of its family`, () => {
      const family = FAMILIES.find(([path]) => path.test(spec.path));
      assert.ok(family, `${spec.path} is of no known family: say here which scopes open it`);
      assert.equal(spec.scope, spec.method === "GET" ? family[1] : family[2]);
    });
  }
});
