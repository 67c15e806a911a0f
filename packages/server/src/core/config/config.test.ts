import assert from "node:assert/strict";
import { isAbsolute } from "node:path";
import { test } from "node:test";
import { parseCidr } from "../platform/outgoing/addresses.ts";
import {
  ConfigError,
  describeConfig,
  loadConfig,
  settingRows,
  unknownVariables,
} from "./config.ts";
import { RULE_DEFAULTS } from "./verify-rules.ts";

/** For every variable: texts it takes with what they mean, and texts it does not take. */
const CASES: Readonly<
  Record<string, { takes: readonly (readonly [string, unknown])[]; refuses: readonly string[] }>
> = {
  HOST: {
    takes: [
      ["0.0.0.0", "0.0.0.0"],
      ["::1", "::1"],
      ["localhost", "localhost"],
    ],
    refuses: ["a b", "http://x/"],
  },
  PORT: {
    takes: [
      ["0", 0],
      ["65535", 65_535],
    ],
    refuses: ["65536", "-1", "80.5", "http", "0x50", " 80"],
  },
  DATABASE_OWNER_URL: {
    takes: [["postgres://owner@b/c", "postgres://owner@b/c"]],
    refuses: ["mysql://b", "localhost"],
  },
  DATABASE_URL: {
    takes: [
      ["postgres://a@b/c", "postgres://a@b/c"],
      ["postgresql://b", "postgresql://b"],
      [
        "postgres://a@b:1,c:2/d?target_session_attrs=read-write",
        "postgres://a@b:1,c:2/d?target_session_attrs=read-write",
      ],
    ],
    refuses: [
      "mysql://a/b",
      "postgres://a b",
      "localhost:5432",
      "postgres://b,c/d?target_session_attrs=standby",
      "postgres://b:1,c:x/d",
    ],
  },
  LONGWAVE_DATABASE_CONNECTIONS: {
    takes: [
      ["17", 17],
      ["500", 500],
    ],
    refuses: ["16", "501", "many"],
  },
  LONGWAVE_DATA: { takes: [["/srv/longwave", "/srv/longwave"]], refuses: ["a\0b"] },
  LONGWAVE_OPERATOR_TOKEN: {
    takes: [["0123456789abcdef", "0123456789abcdef"]],
    refuses: ["short", "with a space in the middle", "x".repeat(201)],
  },
  LONGWAVE_SECRET_KEY: {
    takes: [["ab".repeat(32), "ab".repeat(32)]],
    refuses: ["ab".repeat(31), "zz".repeat(32)],
  },
  LONGWAVE_ROLES: {
    takes: [
      ["api", ["api"]],
      ["worker, api", ["worker", "api"]],
    ],
    refuses: ["api,cook", ",", "API"],
  },
  LONGWAVE_PROCESSES: {
    takes: [
      ["1", 1],
      ["64", 64],
    ],
    refuses: ["0", "65", "two"],
  },
  LONGWAVE_SHARDS: {
    takes: [
      ["1", 1],
      ["1024", 1_024],
    ],
    refuses: ["0", "1025"],
  },
  LONGWAVE_BILLING: {
    takes: [
      ["on", "on"],
      ["off", "off"],
    ],
    refuses: ["0", "no", "OFF"],
  },
  LONGWAVE_CARRIERS: { takes: [["./carriers.json", "./carriers.json"]], refuses: ["a\0b"] },
  LONGWAVE_ALLOW_TARGETS: {
    takes: [["127.0.0.1:8080,10.0.0.0/8", "127.0.0.1:8080,10.0.0.0/8"]],
    refuses: ["http://x?y", "a;b"],
  },
  LONGWAVE_WEBHOOK_PRIVATE_TARGETS: {
    takes: [["crm.internal:8443,10.0.0.5", "crm.internal:8443,10.0.0.5"]],
    refuses: ["http://x?y", "10.0.0.0/8"],
  },
  LONGWAVE_BLOCK_TARGETS: {
    takes: [["api.example.com,93.184.215.14", "api.example.com,93.184.215.14"]],
    refuses: ["http://x?y", "example.com:443"],
  },
  LONGWAVE_ABUSE_CONTACT: {
    takes: [
      ["abuse@example.com", "abuse@example.com"],
      ["https://example.com/abuse", "https://example.com/abuse"],
    ],
    refuses: ["a b", "x\r\ny: z", "(abuse)"],
  },
  LONGWAVE_PROXY: {
    takes: [["http://proxy:3128", "http://proxy:3128"]],
    refuses: ["socks5://proxy", "proxy:3128"],
  },
  LONGWAVE_TEST_CLOCK: {
    takes: [
      ["1", true],
      ["0", false],
    ],
    refuses: ["true", "yes"],
  },
  LONGWAVE_RATE_LIMIT: {
    takes: [
      ["0", 0],
      ["1000000", 1_000_000],
    ],
    refuses: ["1000001", "-5", "10/s"],
  },
  LONGWAVE_BATCH_PACE: {
    takes: [
      ["0", 0],
      ["1000", 1_000],
    ],
    refuses: ["-1", "1000001", "fast"],
  },
  LONGWAVE_PRICE_UNIT: { takes: [["segment", "segment"]], refuses: ["segments", "Message"] },
  LONGWAVE_PRICE_REGISTRATION: {
    takes: [
      ["4", 4_000_000],
      ["0.000001", 1],
      ["12.5", 12_500_000],
    ],
    refuses: ["$4", "4,00", "-1", "1e3", "0.0000001"],
  },
  LONGWAVE_COUNTRIES: {
    takes: [["US, CA,GB", ["US", "CA", "GB"]]],
    refuses: ["GB", "US", "US,CA,gb", "US,CA,Germany"],
  },
  LONGWAVE_COUNTRY_PRICES: {
    takes: [["GB=0.045, DE=0.09", { GB: 45_000, DE: 90_000 }]],
    refuses: ["GB", "GB=", "GB=free", "gb=0.1", "GB=0.1=2"],
  },
  LONGWAVE_EXTRA_REGIONS: { takes: [["PR, GU", ["PR", "GU"]]], refuses: ["JM", "pr"] },
  LONGWAVE_VERIFY_NUMBERS: {
    takes: [["+14155550100", ["+14155550100"]]],
    refuses: ["4155550100", "+441234567890"],
  },
  LONGWAVE_VERIFY_DOMAIN: {
    takes: [["app.example.com", "app.example.com"]],
    refuses: ["https://example.com", "localhost", "example.com/x"],
  },
  LONGWAVE_SECOND_CODE_SECONDS: { takes: [["45", 45]], refuses: ["-1", "301", "soon"] },
  LONGWAVE_LOOKUP_URL: {
    takes: [["https://lookup.example.com/v1/{phone}", "https://lookup.example.com/v1/{phone}"]],
    refuses: ["https://lookup.example.com", "ftp://x/{phone}", "{phone}"],
  },
  LONGWAVE_LOOKUP_TOKEN: { takes: [["secret", "secret"]], refuses: ["two words"] },
  LONGWAVE_VERIFY_RULES: {
    takes: [
      ["{}", RULE_DEFAULTS],
      ['{"neighbours":9}', { ...RULE_DEFAULTS, neighbours: 9 }],
    ],
    refuses: [
      ...["[]", "yes", '{"neighbors":1}', '{"neighbours":-1}', '{"safe_list":["x"]}'],
      ...['{"countries":["GB"]}', '{"denied_prefixes":["+44"]}'],
    ],
  },
  LONGWAVE_IMPORT_TWILIO_URL: {
    takes: [["https://a.example.com", "https://a.example.com"]],
    refuses: ["a.example.com", "https://a.example.com/x"],
  },
  LONGWAVE_IMPORT_TELNYX_URL: {
    takes: [["http://127.0.0.1:80", "http://127.0.0.1:80"]],
    refuses: ["ftp://a", "https://a b"],
  },
  LONGWAVE_TWILIO_ADDRESS: { takes: [["0.0.0.0", "0.0.0.0"]], refuses: ["a b", "http://x"] },
  LONGWAVE_TWILIO_HTTPS_PORT: { takes: [["443", 443]], refuses: ["0", "65536", "https"] },
  LONGWAVE_TWILIO_PROXY_PORT: { takes: [["8080", 8080]], refuses: ["0", "65536", "http"] },
  LONGWAVE_TWILIO_HOSTS: {
    takes: [
      [
        "api.twilio.com, api.dublin.ie1.twilio.com",
        ["api.twilio.com", "api.dublin.ie1.twilio.com"],
      ],
    ],
    refuses: ["twilio.com", "api.example.com", "api.twilio.com.example.com", "*.twilio.com", ","],
  },
  LONGWAVE_TWILIO_API: { takes: [["1", true]], refuses: ["on", "2"] },
  LONGWAVE_TOLL_FREE: {
    takes: [
      ["active", "active"],
      ["verify", "verify"],
    ],
    refuses: ["pending"],
  },
  LONGWAVE_SANDBOX_REVIEW: { takes: [["auto", "auto"]], refuses: ["yes"] },
  LONGWAVE_REGISTRY: {
    takes: [
      ["operator", "operator"],
      ["simulator", "simulator"],
      ["telnyx", "telnyx"],
    ],
    refuses: ["tcr"],
  },
  LONGWAVE_REGISTRY_KEY: { takes: [["KEY01", "KEY01"]], refuses: ["two words"] },
  LONGWAVE_REGISTRY_URL: {
    takes: [["http://127.0.0.1:4010", "http://127.0.0.1:4010"]],
    refuses: ["api.telnyx.com", "https://api.telnyx.com/v2"],
  },
  LONGWAVE_METRICS_HOST: { takes: [["0.0.0.0", "0.0.0.0"]], refuses: ["a b"] },
  LONGWAVE_TRUSTED_PROXIES: {
    takes: [["10.0.0.0/8, fd00::/8", [parseCidr("10.0.0.0/8"), parseCidr("fd00::/8")]]],
    refuses: ["10.0.0.1", "proxy.example", "10.0.0.0/33", "10.0.0.0/8,x"],
  },
  LONGWAVE_LONG_POLLS: { takes: [["1000", 1_000]], refuses: ["0", "2001", "many"] },
  LONGWAVE_BODY_MEMORY: { takes: [["256", 256]], refuses: ["15", "4097", "128M"] },
  LONGWAVE_PUBLIC_URL: {
    takes: [["https://texts.example.com", "https://texts.example.com"]],
    refuses: ["texts.example.com", "https://texts.example.com/", "ftp://x"],
  },
  LONGWAVE_SMTP_URL: {
    takes: [
      ["smtp://127.0.0.1:25?from=a@example.com", "smtp://127.0.0.1:25?from=a@example.com"],
      ["smtps://u:p@m.example.com?x=1&from=a@b.de", "smtps://u:p@m.example.com?x=1&from=a@b.de"],
    ],
    refuses: ["mail.example.com", "smtp://m.example.com", "https://m.example.com?from=a@b.de"],
  },
  LONGWAVE_NOTICES_URL: {
    takes: [["https://hooks.example.com/T0/B0", "https://hooks.example.com/T0/B0"]],
    refuses: ["hooks.example.com", "ftp://x.example.com", "https://[x", "https://a b"],
  },
  LONGWAVE_SESSION_IDLE_MINUTES: { takes: [["5", 5]], refuses: ["0", "10081", "1h"] },
  LONGWAVE_REQUIRE_SECOND_FACTOR: {
    takes: [
      ["operators", ["operators"]],
      ["owners, operators", ["owners", "operators"]],
    ],
    refuses: ["admins", "operators;owners", "1"],
  },
  LONGWAVE_SESSION_HOURS: { takes: [["24", 24]], refuses: ["0", "721", "day"] },
  LONGWAVE_REQUEST_LOG_BODIES: { takes: [["all", "all"]], refuses: ["live"] },
  LONGWAVE_REQUEST_LOG: { takes: [["0", false]], refuses: ["off", "2"] },
  LONGWAVE_METRICS_PORT: { takes: [["9464", 9_464]], refuses: ["0", "65536", "on"] },
  LOG_FORMAT: {
    takes: [
      ["json", "json"],
      ["text", "text"],
    ],
    refuses: ["pretty", "1"],
  },
  LOG_LEVEL: {
    takes: [
      ["trace", "trace"],
      ["silent", "silent"],
    ],
    refuses: ["verbose", "INFO"],
  },
};

const SECRETS = [
  "DATABASE_URL",
  "DATABASE_OWNER_URL",
  "LONGWAVE_OPERATOR_TOKEN",
  "LONGWAVE_SECRET_KEY",
  "LONGWAVE_PROXY",
];

test("the cases name every setting", () => {
  const settings = new Set(settingRows().map((row) => row.variable));
  assert.deepEqual(new Set(Object.keys(CASES)), settings);
});

for (const [variable, { takes, refuses }] of Object.entries(CASES)) {
  test(`${variable} takes what it should and refuses the rest in one line`, () => {
    for (const [text, meaning] of takes) {
      const values = Object.values(loadConfig({ [variable]: text }));
      assert.ok(
        values.some((value) => JSON.stringify(value) === JSON.stringify(meaning)),
        `${variable}=${text}`,
      );
    }
    for (const text of refuses) {
      assert.throws(
        () => loadConfig({ [variable]: text }),
        (error: Error) => {
          assert.ok(error instanceof ConfigError);
          assert.ok(error.message.startsWith(`${variable} is `), error.message);
          assert.ok(error.message.includes("but it takes "), error.message);
          assert.ok(!error.message.includes("\n"), error.message);
          if (SECRETS.includes(variable)) assert.ok(!error.message.includes(text), error.message);
          return true;
        },
        `${variable}=${text}`,
      );
    }
  });
}

test("no line repeats a secret, whichever variable it is in and whether it is usable", () => {
  const values = [
    "hunter2@mail.example.com",
    "https://ada:hunter2@example.com",
    "https://example.com/{phone}?key=hunter2",
    "smtp://ada:hunter2@mail.example.com:587?from=texts@example.com",
    "smtp://ada:hunter2@mail.example.com:587",
    "postgres://ada:hunter2@db.example.com/longwave",
  ];
  for (const variable of Object.keys(CASES)) {
    for (const value of values) {
      const { lines, problems } = describeConfig({ [variable]: value });
      assert.doesNotMatch([...lines, ...problems].join("\n"), /hunter2/, `${variable}=${value}`);
    }
  }
  const { lines } = describeConfig({ LONGWAVE_LOOKUP_URL: "https://hunter2.example.com/{phone}" });
  assert.ok(lines.includes("LONGWAVE_LOOKUP_URL=(set)"));
  for (const variable of ["LONGWAVE_SMTP_URL", "LONGWAVE_LOOKUP_URL"]) {
    const broken = { [variable]: `smtp://ada:hunter2@[x]/{phone}?from=texts@example.com` };
    assert.throws(() => loadConfig(broken), ConfigError, "no later step fails with the value");
  }
});

test("an empty variable is the same as none", () => {
  assert.deepEqual(loadConfig({ PORT: "", HOST: "" }), loadConfig({}));
});

test("the data folder does not depend on where a later step runs", () => {
  assert.ok(isAbsolute(loadConfig({}).dataFolder));
});

test("an unknown LONGWAVE_ variable is recognised, and a client's variable is not", () => {
  const env = { LONGWAVE_PORT: "1", PATH: "/bin", LONGWAVE_ROLES: "api" };
  // The README has people set these in their shell, where the server may be started next.
  const ofClients = { LONGWAVE_API_KEY: "svc_sk_test_1", LONGWAVE_URL: "http://127.0.0.1:7670" };
  assert.deepEqual(unknownVariables({ ...env, ...ofClients }), ["LONGWAVE_PORT"]);
});

test("check-config lists every setting once, right or wrong", () => {
  const { lines, problems } = describeConfig({ PORT: "x", LOG_LEVEL: "loud", HOST: "::1" });
  assert.equal(lines.length + problems.length, Object.keys(CASES).length);
  assert.equal(problems.length, 2);
  assert.ok(lines.includes("HOST=::1"));
});

test("rules of verification name other countries only where the operator allows some", () => {
  const rules = { LONGWAVE_VERIFY_RULES: '{"countries":["US","GB"],"denied_prefixes":["+44"]}' };
  assert.throws(() => loadConfig(rules), ConfigError);
  const { verifyRules } = loadConfig({ ...rules, LONGWAVE_COUNTRIES: "US,CA,GB" });
  assert.deepEqual(verifyRules.countries, ["US", "GB"]);
});
