import assert from "node:assert/strict";
import { test } from "node:test";
import { checkPublicAddress } from "./addresses.ts";
import {
  addressProblem,
  canonicalHost,
  isAllowedHost,
  parseAllowTargets,
  parseBlockTargets,
} from "./targets.ts";

test("the allow list takes host:port and CIDR entries in their usual spellings", () => {
  const targets = parseAllowTargets(
    " LocalHost:8080 , 127.0.0.1:9000,[::1]:9001, 10.0.0.0/8 ,fd00::/8, hooks.internal.:443,, ",
  );
  const read = targets.map((target) =>
    target.kind === "host" ? `${target.host} ${target.port}` : target.cidr.text,
  );
  assert.deepEqual(read, [
    "localhost 8080",
    "127.0.0.1 9000",
    "::1 9001",
    "10.0.0.0/8",
    "fd00::/8",
    "hooks.internal 443",
  ]);
  assert.deepEqual(parseAllowTargets(""), []);
});

test("a wrong entry is named in one line", () => {
  const wrong = [
    "localhost",
    "127.0.0.1",
    "localhost:",
    "localhost:0",
    "localhost:65536",
    "localhost:http",
    "http://localhost:80",
    "localhost:80/path",
    "user@localhost:80",
    "10.0.0.0/33",
    "::1:80:90",
    ":80",
  ];
  for (const entry of wrong) {
    assert.throws(
      () => parseAllowTargets(`127.0.0.0/8,${entry}`),
      (error: Error) =>
        error.message.startsWith(`"${entry}" is neither host:port`) &&
        !error.message.includes("\n"),
      entry,
    );
  }
  assert.throws(() => parseAllowTargets("a:1,".repeat(101)), /at most 100/);
});

test("an allowed host is allowed on its own port only", () => {
  const targets = parseAllowTargets("localhost:8080,[::ffff:127.0.0.1]:9000");
  assert.ok(isAllowedHost(targets, "localhost", 8080));
  assert.ok(!isAllowedHost(targets, "localhost", 8081));
  assert.ok(!isAllowedHost(targets, "sub.localhost", 8080));
  assert.ok(isAllowedHost(targets, "127.0.0.1", 9000));
});

test("the block list takes names, addresses and CIDR entries", () => {
  const read = parseBlockTargets("api.example.com,5.6.7.8,2606:4700::1,9.9.9.0/24").map((target) =>
    target.kind === "host" ? target.host : target.cidr.text,
  );
  assert.deepEqual(read, ["api.example.com", "5.6.7.8/32", "2606:4700::1/128", "9.9.9.0/24"]);
  assert.throws(() => parseBlockTargets("a b"), /"a b" is neither a host name/);
});

test("the block list wins over the allow list, the allow list over the public rule", () => {
  const rules = {
    allowTargets: parseAllowTargets("10.0.0.0/8"),
    blockTargets: parseBlockTargets("10.0.0.1,9.9.9.9"),
    checkAddress: checkPublicAddress,
  };
  assert.equal(addressProblem(rules, "10.0.0.2", false), null);
  assert.match(addressProblem(rules, "10.0.0.1", false) ?? "", /block list/);
  assert.match(addressProblem(rules, "10.0.0.1", true) ?? "", /block list/);
  assert.match(addressProblem(rules, "9.9.9.9", false) ?? "", /block list/);
  assert.match(addressProblem(rules, "192.168.0.1", false) ?? "", /not a public address/);
  assert.equal(addressProblem(rules, "192.168.0.1", true), null);
});

test("a host has one spelling", () => {
  assert.equal(canonicalHost("example.com."), "example.com");
  assert.equal(canonicalHost("[::ffff:7f00:1]"), "127.0.0.1");
  assert.equal(canonicalHost("[2606:4700::1]"), "2606:4700::1");
});
