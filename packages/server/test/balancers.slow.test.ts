import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { Agent, createServer, type IncomingHttpHeaders, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { freePort } from "../testing/free-port.ts";
import { ROOT } from "../testing/source-process.ts";
import { until } from "../testing/until.ts";

const KEYS = Array.from({ length: 40 }, (_, index) => `Bearer lw_test_${index}`);

interface Upstream {
  readonly server: Server;
  readonly port: number;
  readonly seen: IncomingHttpHeaders[];
}

/** A server that answers with its port. */
async function startUpstream(t: TestContext): Promise<Upstream> {
  const seen: IncomingHttpHeaders[] = [];
  const server = createServer((incoming, response) => {
    if (incoming.url !== "/readyz") seen.push(incoming.headers);
    incoming.resume().on("end", () => response.end(String(port)));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { server, port, seen };
}

interface Balancer {
  readonly name: string;
  readonly program: string;
  /** Turns the shipped file into one for these ports, without TLS. */
  configure(shipped: string, ports: readonly number[], port: number, folder: string): string;
  readonly file: string;
  args(file: string): string[];
}

const servers = (ports: readonly number[], line: (port: number, index: number) => string) =>
  ports.map(line).join("\n");

const BALANCERS: readonly Balancer[] = [
  {
    name: "nginx",
    program: "/usr/sbin/nginx",
    file: "deploy/nginx/longwave.conf",
    configure: (shipped, ports, port, folder) => {
      const upstreams = servers(
        ports,
        (one) => `  server 127.0.0.1:${one} max_fails=1 fail_timeout=2s;`,
      );
      const site = shipped
        .replace(/( {2}server 10\.\S+ max_fails.*\n)+/, `${upstreams}\n`)
        .replace("listen 443 ssl;", `listen 127.0.0.1:${port};`)
        .replace(/ {2}ssl_certificate.*\n/g, "");
      const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        .map((kind) => `${kind}_temp_path ${folder}/${kind};`)
        .join("\n");
      return `daemon off; pid ${folder}/pid; error_log stderr; events {}
        http { access_log off; ${temporary}\n${site} }`;
    },
    args: (file) => ["-c", file],
  },
  {
    name: "HAProxy",
    program: "/usr/sbin/haproxy",
    file: "deploy/haproxy/longwave.cfg",
    configure: (shipped, ports, port) =>
      shipped
        .replace(
          /( {2}server api.*\n)+/,
          `${servers(ports, (one, index) => `  server api${index} 127.0.0.1:${one}`)}\n`,
        )
        .replace(/bind :443 ssl crt \S+/, `bind 127.0.0.1:${port}`),
    args: (file) => ["-db", "-f", file],
  },
];

async function startBalancer(
  t: TestContext,
  { program, file, configure, args }: Balancer,
  ports: readonly number[],
): Promise<(authorization: string | null) => Promise<{ status: number; from: string }>> {
  const folder = await mkdtemp(join(tmpdir(), "lw-balancer-"));
  await chmod(folder, 0o755);
  const port = await freePort();
  const configuration = configure(await readFile(join(ROOT, file), "utf8"), ports, port, folder);
  const path = join(folder, "configuration");
  await writeFile(path, configuration);
  const child = spawn(program, args(path), { stdio: ["ignore", "ignore", "pipe"] });
  let errors = "";
  child.stderr.on("data", (chunk) => {
    errors += chunk;
  });
  const ended = once(child, "exit");
  t.after(async () => {
    child.kill("SIGTERM");
    await ended;
    await rm(folder, { recursive: true, force: true });
  });
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  t.after(async () => agent.destroy());
  const ask = (authorization: string | null) =>
    new Promise<{ status: number; from: string }>((resolve, reject) => {
      const headers = authorization === null ? {} : { authorization };
      const call = request(
        { host: "127.0.0.1", port, path: "/v1/messages", method: "POST", headers, agent },
        (response) => {
          let from = "";
          response.on("data", (chunk) => {
            from += chunk;
          });
          response.on("end", () => resolve({ status: response.statusCode ?? 0, from }));
        },
      );
      call.on("error", reject);
      call.end("{}");
    });
  await until(async () => {
    if (child.exitCode !== null) throw new Error(errors);
    return (await ask("first").catch(() => null))?.status === 200;
  });
  return ask;
}

for (const balancer of BALANCERS) {
  test(`${balancer.name} keeps each key on one server, and moves only the keys of a lost one`, async (t) => {
    if (!existsSync(balancer.program)) {
      return t.skip(`${balancer.program} is not installed: apt-get install nginx-light haproxy`);
    }
    const upstreams = [await startUpstream(t), await startUpstream(t), await startUpstream(t)];
    const ports = upstreams.map(({ port }) => port);
    const ask = await startBalancer(t, balancer, ports);
    const place = async () => {
      const answers = await Promise.all(KEYS.map((key) => ask(key)));
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
      return answers.map(({ from }) => from);
    };
    const placed = await place();
    assert.deepEqual(await place(), placed);
    assert.equal(new Set(placed).size, 3, "every server has keys");

    const [lost] = upstreams as [Upstream];
    lost.server.closeAllConnections();
    lost.server.close();
    const moved = await place();
    for (const [index, before] of placed.entries()) {
      if (before === String(lost.port)) assert.notEqual(moved[index], before);
      else assert.equal(moved[index], before, "a key of another server stays");
    }

    const anonymous = await Promise.all(Array.from({ length: 40 }, () => ask(null)));
    assert.equal(new Set(anonymous.map(({ from }) => from)).size, 2, "no key, no affinity");
    const headers = upstreams.flatMap(({ seen }) => seen).at(-1);
    assert.equal(headers?.["x-forwarded-for"], "127.0.0.1");
  });
}
