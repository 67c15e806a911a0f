import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { NUMBERING_BYTES_MAX, routes } from "@longwave/contract";
import { assertOperatorIngress, renderTemplate } from "../testing/helm-chart.ts";
import { ROOT } from "../testing/source-process.ts";
import { suiteKit } from "../testing/suite.ts";
import { load } from "../testing/yaml.ts";

// biome-ignore lint/suspicious/noExplicitAny: files of other programs, read freely
type Any = any;

/** `timeout` of GET /v1/events/wait. */
const LONG_POLL_SECONDS_MAX = 25;

const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
const operations = read("docs/operations.md");
const SETTINGS = new Set(
  [...operations.matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, name]) => name ?? ""),
);

const TLS = join(ROOT, "packages/server/testing/tls");

const isInstalled = (program: string, argument: string) =>
  spawnSync(program, [argument]).status === 0;

function assertAccepted(program: string, given: readonly string[]): void {
  const env = { ...process.env, DOMAIN: "texts.example.com", UPSTREAM: "127.0.0.1:7670" };
  const { status, stdout, stderr } = spawnSync(program, given, { env, encoding: "utf8" });
  assert.equal(status, 0, stdout + stderr);
}

function assertSettings(names: readonly string[], where: string): void {
  assert.ok(names.length > 0, `${where} sets something`);
  for (const name of names)
    assert.ok(SETTINGS.has(name), `${where} sets ${name}, which is no setting`);
}

describe("monitoring", () => {
  const kit = suiteKit();

  const expressions = (): { where: string; text: string }[] => {
    const rules = (load(read("deploy/prometheus/rules.yaml")) as Any).groups.flatMap(
      (group: Any) => group.rules,
    );
    const { panels } = JSON.parse(read("deploy/grafana/dashboard.json")) as Any;
    return [
      ...rules.map((rule: Any) => ({ where: rule.alert, text: rule.expr })),
      ...panels.flatMap((panel: Any) =>
        (panel.targets ?? []).map((target: Any) => ({ where: panel.title, text: target.expr })),
      ),
    ];
  };

  it("uses metrics and labels that /metrics has", async () => {
    const { metrics } = kit().deps;
    metrics.watchProcess();
    await kit().request("GET", "/v1/account");
    const text = await metrics.registry.metrics();
    const known = new Set([...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name ?? ""));
    const all = expressions();
    assert.ok(all.length > 30);
    for (const { where, text: expression } of all) {
      for (const [, name = ""] of expression.matchAll(/\b((?:longwave|nodejs|process)_\w+)/g)) {
        const base = name.replace(/_(?:bucket|count|sum)$/, "");
        assert.ok(known.has(name) || known.has(base), `${where} names ${name}`);
      }
      for (const [, route = ""] of expression.matchAll(/\broute="([^"]+)"/g)) {
        assert.ok(route in routes, `${where} names the route ${route}`);
      }
      for (const [, status = ""] of expression.matchAll(/\bstatus="([^"]+)"/g)) {
        assert.match(status, /^[1-5]xx$/);
      }
    }
    // The dashboard shows every metric of ours.
    const shown = JSON.stringify(all);
    const unseen = [...known].filter(
      (name) => name.startsWith("longwave_") && !shown.includes(name),
    );
    assert.deepEqual(unseen, []);
  });

  it("alerts have a severity, and documented responses", () => {
    const [group] = (load(read("deploy/prometheus/rules.yaml")) as Any).groups;
    for (const rule of group.rules) {
      assert.match(rule.alert, /^Longwave[A-Za-z]+$/);
      assert.match(rule.labels.severity, /^(?:page|ticket)$/);
      assert.match(rule.annotations.summary, /\.$/);
      assert.ok(
        operations.includes(`\`${rule.alert}\``),
        `docs/operations.md describes ${rule.alert}`,
      );
    }
  });

  it("panels do not overlap and have unique ids", () => {
    const { panels } = JSON.parse(read("deploy/grafana/dashboard.json")) as Any;
    assert.equal(new Set(panels.map((panel: Any) => panel.id)).size, panels.length);
    const cells = new Set<string>();
    for (const { title, gridPos } of panels) {
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1) {
        assert.ok(x < 24 && !cells.has(`${x} ${gridPos.y}`), title);
        cells.add(`${x} ${gridPos.y}`);
      }
    }
  });
});

describe("deployment files", () => {
  it("the systemd unit starts the built program, with existing settings", () => {
    const text = read("deploy/systemd/longwave.service");
    const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
    for (const line of lines) assert.match(line, /^(?:\[(?:Unit|Service|Install)\]|[A-Z]\w+=.*)$/);
    const values = (name: string) =>
      lines.flatMap((line) => (line.startsWith(`${name}=`) ? [line.slice(name.length + 1)] : []));
    assert.match(
      values("ExecStart")[0] ?? "",
      / --disable-proto=throw \/opt\/longwave\/packages\/server\/dist\/main\.js$/,
    );
    assertSettings(
      values("Environment").map((value) => value.split("=")[0] ?? ""),
      "the unit",
    );
    // The server takes up to 25 seconds to stop.
    assert.ok(Number(values("TimeoutStopSec")[0]) > 25);
  });

  it("the image has what the program needs, and no more", () => {
    const text = read("deploy/Dockerfile");
    // Node.js 20 gets no security fixes after April 2026; both stages share one base, which a digest can pin.
    assert.match(text, /^ARG NODE_IMAGE=node:24-/m);
    assert.equal(text.match(/^FROM \$\{NODE_IMAGE\}/gm)?.length, 2);
    const copied = [...text.matchAll(/^COPY --from=build \/longwave\/(\S+) (\S+)$/gm)];
    for (const [, from, to] of copied) assert.equal(from, to);
    // The program, the pages that it serves, and PostgreSQL; docker-image.long.test.ts runs these steps.
    const paths = copied.map(([, from]) => from);
    for (const built of [...["server", "cli", "console"].map(distOf), "dist/docs"]) {
      assert.ok(paths.includes(built), built);
    }
    assert.match(
      text,
      /^RUN ln -s \/longwave\/packages\/cli\/dist\/main\.js \/usr\/local\/bin\/longwave$/m,
    );
    // The build for serving installs no development packages.
    const scripts = JSON.parse(read("package.json")).scripts as Record<string, string>;
    assert.equal(scripts["build:serving"], "exec node scripts/build-serving.mjs");
    for (const where of ["deploy/Dockerfile", "deploy/README.md"]) {
      const words = read(where);
      assert.match(words, /npm run build:serving$/m, where);
      assert.doesNotMatch(words, /npm (?:ci|install)|npm run build$/m, where);
    }
    const env = /^ENV (.+)$/m.exec(text)?.[1]?.split(" ") ?? [];
    assertSettings(
      env.map((one) => one.split("=")[0] ?? ""),
      "the image",
    );
    assert.match(text, /^USER longwave$/m);
    assert.match(text, /\/readyz/);
  });

  it("compose gives the server its two database roles", () => {
    const { services, volumes } = load(read("deploy/compose/compose.yaml")) as Any;
    assertSettings(Object.keys(services.longwave.environment), "compose");
    assert.match(services.longwave.environment.DATABASE_URL, /longwave_app:/);
    assert.match(services.longwave.environment.DATABASE_OWNER_URL, /longwave_owner:/);
    const asked = [...read("deploy/compose/compose.yaml").matchAll(/\$\{(\w+)/g)].map(
      ([, name]) => name,
    );
    const given = [...read("deploy/compose/.env.example").matchAll(/^(\w+)=/gm)].map(
      ([, name]) => name,
    );
    assert.deepEqual(new Set(asked), new Set(given));
    const mounted = Object.values(services as Record<string, Any>)
      .flatMap(({ volumes: mounts }) => mounts)
      .map((mount: string) => mount.split(":")[0] ?? "")
      .filter((name: string) => !name.startsWith("."));
    assert.deepEqual(new Set(mounted), new Set(Object.keys(volumes)));
    const carriers = services.longwave.volumes.find((mount: string) => mount.includes("carriers"));
    assert.equal(carriers, "./carriers:/carriers:ro");
    assert.deepEqual(services.caddy.profiles, ["tls"], "TLS is asked for");
    const [caddyfile] = services.caddy.volumes;
    assert.match(read(`deploy/compose/${caddyfile.split(":")[0]}`), /\{\$UPSTREAM:127/);
    // Ports are published on the loopback interface only, by default.
    for (const port of services.longwave.ports) assert.match(port, /^127\.0\.0\.1:/);
  });

  it("the ingress hashes the key, and fits the chart's service", () => {
    const ingresses = renderTemplate(read("deploy/kubernetes/ingress.yaml"), {}) as Any[];
    assertOperatorIngress(ingresses);
    const service = read("deploy/helm/longwave/templates/service.yaml");
    for (const ingress of ingresses) {
      assert.equal(`${ingress.apiVersion} ${ingress.kind}`, "networking.k8s.io/v1 Ingress");
      const { annotations } = ingress.metadata;
      assert.equal(
        annotations["nginx.ingress.kubernetes.io/upstream-hash-by"],
        "$http_authorization",
      );
      for (const path of ingress.spec.rules[0].http.paths) {
        assert.ok(service.includes(`- name: ${path.backend.service.port.name}`));
      }
    }
  });

  /** Every file that publishes the server, with its rule for the operator's own networks. */
  const PROXIES: Readonly<Record<string, RegExp>> = {
    "proxy/nginx.conf": /location \/operator\/ \{\n( +allow [\d./]+;\n)+ +deny all;/,
    "proxy/Caddyfile": /respond \/operator\/\* 404/,
    "proxy/traefik.yaml": /ipAllowList:/,
    "nginx/longwave.conf": /location \/operator\/ \{\n( +allow [\d./]+;\n)+ +deny all;/,
    "haproxy/longwave.cfg": /deny .* if \{ path,url_dec -m beg \/operator\/ \} !\{ src [\d./ ]+ \}/,
    "kubernetes/ingress.yaml": /whitelist-source-range: \d/,
  };
  for (const [name, rule] of Object.entries(PROXIES)) {
    it(`${name} hides metrics and the operator API, and waits for long polls`, () => {
      const text = read(`deploy/${name}`);
      assert.match(text, rule);
      const settings = [...text.matchAll(/\bLONGWAVE_[A-Z_]+/g)].map(([setting]) => setting);
      assertSettings(settings, name);
      assert.ok(settings.includes("LONGWAVE_TRUSTED_PROXIES"));
      assert.match(text, /\/metrics/);
      assert.match(text, /\/operator/);
      const waits = [
        ...text.matchAll(
          /(?:read_timeout|header_timeout|HeaderTimeout:|timeout server|proxy-read-timeout:) "?(\d+)/g,
        ),
      ];
      assert.ok(waits.length > 0);
      for (const [, seconds] of waits) assert.ok(Number(seconds) > LONG_POLL_SECONDS_MAX);
      const [, size] = /(?:client_max_body_size|max_size) (\d+)(?:m;|MB)$/m.exec(text) ?? [];
      if (size !== undefined) assert.ok(Number(size) * 2 ** 20 >= NUMBERING_BYTES_MAX);
      if (name.endsWith("traefik.yaml")) assert.ok((load(text) as Any).http.routers.longwave);
      else assert.equal(text.split("{").length, text.split("}").length);
    });
  }

  it("nginx accepts its file", { skip: !isInstalled("nginx", "-v") }, (t) => {
    const folder = mkdtempSync(join(tmpdir(), "lw-nginx-"));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const site = read("deploy/proxy/nginx.conf")
      .replace(/ssl_certificate .*;/, `ssl_certificate ${TLS}/receiver.pem;`)
      .replace(/ssl_certificate_key .*;/, `ssl_certificate_key ${TLS}/receiver-key.pem;`);
    const whole = `pid ${folder}/pid; error_log stderr; events {}\nhttp { access_log off; ${site} }`;
    writeFileSync(join(folder, "nginx.conf"), whole);
    assertAccepted("nginx", ["-t", "-q", "-p", folder, "-c", join(folder, "nginx.conf")]);
  });

  it("Caddy accepts its file", { skip: !isInstalled("caddy", "version") }, () => {
    const file = join(ROOT, "deploy/proxy/Caddyfile");
    assertAccepted("caddy", ["validate", "--config", file, "--adapter", "caddyfile"]);
  });

  it("Traefik knows every option of its file, and every name in it leads to something", () => {
    const { http, ...others } = load(read("deploy/proxy/traefik.yaml")) as Any;
    assert.deepEqual(others, {});
    const unknown = Object.entries<Any>(http).flatMap(([kind, named]) =>
      Object.values<Any>(named).flatMap((options) =>
        optionPaths(options).filter((path) => !TRAEFIK_OPTIONS[kind]?.includes(path)),
      ),
    );
    assert.deepEqual(unknown, []);
    for (const router of Object.values<Any>(http.routers)) {
      assert.ok(http.services[router.service], router.service);
      for (const name of router.middlewares) assert.ok(http.middlewares[name], name);
    }
    for (const { loadBalancer } of Object.values<Any>(http.services)) {
      assert.ok(http.serversTransports[loadBalancer.serversTransport]);
    }
  });

  for (const isWhole of [false, true]) {
    it(`the chart's objects fit together ${isWhole ? "with carriers, ingress and public URL" : "as installed"}`, () => {
      const folder = "deploy/helm/longwave";
      assert.equal((load(read(`${folder}/Chart.yaml`)) as Any).name, "longwave");
      const given = load(read(`${folder}/values.yaml`)) as Any;
      const whole = {
        ...{ carriers: '{"carriers": []}', publicUrl: "https://texts.example.com" },
        ...{ trustedProxies: "10.0.0.0/8", ingress: { ...given.ingress, enabled: true } },
      };
      const values = isWhole ? { ...given, ...whole } : given;
      const scope = { Values: values, Release: { Name: "texts" } };
      const objects = readdirSync(join(ROOT, folder, "templates")).flatMap((name) =>
        renderTemplate(read(`${folder}/templates/${name}`), scope),
      ) as Any[];
      const kinds = objects.map((object) => `${object.apiVersion} ${object.kind}`);
      const ingressKinds = isWhole ? ["networking.k8s.io/v1 Ingress"] : [];
      assert.deepEqual(new Set(kinds), new Set([...KINDS, ...ingressKinds]));
      const deployments = objects.filter(({ kind }) => kind === "Deployment");
      for (const deployment of deployments) assertDeployment(deployment, objects, isWhole);
      const service = objects.find(({ kind }) => kind === "Service");
      const served = deployments.filter(({ spec }) =>
        isWithin(service.spec.selector, spec.template.metadata.labels),
      );
      assert.deepEqual(
        served.map(({ metadata }) => metadata.name),
        ["texts-api"],
      );
      const ports = served[0].spec.template.spec.containers[0].ports.map((port: Any) => port.name);
      for (const { targetPort } of service.spec.ports) assert.ok(ports.includes(targetPort));
      if (!isWhole) return;
      const ingresses = objects.filter(({ kind }) => kind === "Ingress");
      assertOperatorIngress(ingresses);
      for (const ingress of ingresses) {
        const [{ host, http }] = ingress.spec.rules;
        assert.deepEqual(ingress.spec.tls[0].hosts, [host]);
        for (const { backend } of http.paths) {
          assert.equal(backend.service.name, service.metadata.name);
          const { port } = backend.service;
          assert.ok(service.spec.ports.some(({ name }: Any) => name === port.name));
        }
        for (const value of Object.values(ingress.metadata.annotations)) {
          assert.equal(typeof value, "string", "Kubernetes accepts only strings");
        }
      }
    });
  }
});

/**
 * Options of Traefik 3 that the file uses, by its reference (traefik/traefik, docs/content/reference/
 * routing-configuration/other-providers/file.yaml). Neither Debian nor npm has the program, so nothing runs it here.
 */
const TRAEFIK_OPTIONS: Readonly<Record<string, readonly string[]>> = {
  routers: ["rule", "entryPoints", "service", "middlewares", "tls.certResolver"],
  middlewares: [
    "headers.stsSeconds",
    "ipAllowList.sourceRange",
    "redirectScheme.scheme",
    "redirectScheme.permanent",
  ],
  services: [
    "loadBalancer.servers.url",
    "loadBalancer.healthCheck.path",
    "loadBalancer.healthCheck.interval",
    "loadBalancer.responseForwarding.flushInterval",
    "loadBalancer.serversTransport",
  ],
  serversTransports: ["forwardingTimeouts.responseHeaderTimeout"],
};

/** Paths of all values, such as `tls.certResolver`; a list of objects has the paths of its items. */
function optionPaths(value: Any, path = ""): string[] {
  if (Array.isArray(value) && typeof value[0] === "object") {
    return [...new Set(value.flatMap((item) => optionPaths(item, path)))];
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [path];
  return Object.entries(value).flatMap(([name, inner]) =>
    optionPaths(inner, path === "" ? name : `${path}.${name}`),
  );
}

const KINDS = [
  "apps/v1 Deployment",
  "policy/v1 PodDisruptionBudget",
  "v1 ConfigMap",
  "v1 Secret",
  "v1 Service",
];

const distOf = (name: string) => `packages/${name}/dist`;

const isWithin = (some: object, all: Any) =>
  Object.entries(some).every(([name, value]) => all[name] === value);

function assertDeployment({ metadata, spec }: Any, objects: readonly Any[], isWhole: boolean) {
  const pod = spec.template;
  assert.ok(isWithin(spec.selector.matchLabels, pod.metadata.labels));
  assert.ok(pod.spec.terminationGracePeriodSeconds > 25);
  const [container] = pod.spec.containers;
  const names = container.env.map((one: Any) => one.name);
  assertSettings(names, metadata.name);
  for (const name of ["LONGWAVE_CARRIERS", "LONGWAVE_PUBLIC_URL", "LONGWAVE_TRUSTED_PROXIES"]) {
    assert.equal(names.includes(name), isWhole, name);
  }
  const ports = container.ports.map((port: Any) => port.name);
  for (const probe of [container.livenessProbe, container.readinessProbe]) {
    assert.ok(ports.includes(probe.httpGet.port));
    assert.match(probe.httpGet.path, /^\/(?:healthz|readyz)$/);
  }
  const [settings] = container.envFrom.map((from: Any) => from.configMapRef?.name);
  const map = objects.find((object) => object.metadata.name === settings);
  assertSettings(Object.keys(map.data), "the chart's settings");
  const volumes = pod.spec.volumes.map((volume: Any) => volume.name);
  for (const { name } of container.volumeMounts) assert.ok(volumes.includes(name));
  for (const { secret } of pod.spec.volumes) {
    const isMade = objects.some((object) => object.metadata.name === secret?.secretName);
    assert.ok(secret === undefined || isMade);
  }
  for (const value of [...Object.values(map.data), ...container.env.map((one: Any) => one.value)]) {
    assert.equal(typeof value, "string", "Kubernetes accepts only strings");
  }
}
