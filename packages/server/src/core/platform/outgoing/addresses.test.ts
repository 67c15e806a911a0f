import assert from "node:assert/strict";
import { test } from "node:test";
import { canonicalAddress, checkPublicAddress, cidrContains, parseCidr } from "./addresses.ts";

const EDGES_OF_BLOCKED_RANGES = [
  ["0.0.0.0", "0.255.255.255"],
  ["10.0.0.0", "10.255.255.255"],
  ["100.64.0.0", "100.127.255.255"],
  ["127.0.0.0", "127.255.255.255"],
  ["169.254.0.0", "169.254.255.255"],
  ["172.16.0.0", "172.31.255.255"],
  ["192.0.0.0", "192.0.0.255"],
  ["192.0.2.0", "192.0.2.255"],
  ["192.88.99.0", "192.88.99.255"],
  ["192.168.0.0", "192.168.255.255"],
  ["198.18.0.0", "198.19.255.255"],
  ["198.51.100.0", "198.51.100.255"],
  ["203.0.113.0", "203.0.113.255"],
  ["224.0.0.0", "239.255.255.255"],
  ["240.0.0.0", "255.255.255.255"],
  ["168.63.129.16", "168.63.129.16"],
  ["::", "::1"],
  ["1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "4000::"],
  ["2001::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
].flat();

const JUST_OUTSIDE = [
  ["1.0.0.0", "9.255.255.255", "11.0.0.0"],
  ["100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0"],
  ["169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0"],
  ["191.255.255.255", "192.0.1.0", "192.0.3.0", "192.88.98.255", "192.88.100.0"],
  ["192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0"],
  ["198.51.99.255", "198.51.101.0", "203.0.112.255", "203.0.114.0", "223.255.255.255"],
  ["168.63.129.15", "168.63.129.17"],
  ["2000::", "2001:200::", "2001:db7:ffff::", "2001:db9::", "2003::", "3ffe::", "3fff:1000::"],
].flat();

test("both edges of every blocked range are refused", () => {
  for (const address of EDGES_OF_BLOCKED_RANGES) {
    assert.notEqual(checkPublicAddress(address), null, address);
  }
});

test("the neighbours of every blocked range are public", () => {
  for (const address of JUST_OUTSIDE) assert.equal(checkPublicAddress(address), null, address);
});

test("an IPv6 address that embeds an IPv4 one is classified as that one", () => {
  const refused = [
    "::ffff:127.0.0.1",
    "::ffff:a9fe:a9fe",
    "0:0:0:0:0:ffff:10.0.0.1",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b::10.0.0.1",
  ];
  for (const address of refused) assert.notEqual(checkPublicAddress(address), null, address);
  // A network with DNS64 returns these for every host that has IPv4 only.
  for (const address of ["::ffff:93.184.215.14", "64:ff9b::93.184.215.14"]) {
    assert.equal(checkPublicAddress(address), null, address);
  }
});

test("non-public IPv6 forms are refused whatever IPv4 address they embed", () => {
  const refused = [
    "::127.0.0.1",
    "::93.184.215.14",
    "64:ff9b:1::93.184.215.14",
    "64:ff9b:0:1::1",
    "2002:a9fe:a9fe::1",
    "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    "fd00:ec2::254",
    "fe80::1%eth0",
    "100::1",
    "5f00::1",
  ];
  for (const address of refused) assert.notEqual(checkPublicAddress(address), null, address);
});

test("a string that is no address is refused", () => {
  for (const text of ["", "localhost", "127.1", "0x7f000001", "1.2.3.4.5", "1.2.3.4/32", "[::1]"]) {
    assert.notEqual(checkPublicAddress(text), null, text);
  }
});

test("an address has one spelling", () => {
  assert.equal(canonicalAddress("::ffff:7f00:1"), "127.0.0.1");
  assert.equal(canonicalAddress("2606:2800:0220:0001:0000:0000:0000:0001"), "2606:2800:220:1::1");
  assert.equal(canonicalAddress("nobody"), null);
});

test("a CIDR is read strictly and matches by value", () => {
  for (const text of [
    "10.0.0.0",
    "10.0.0.0/33",
    "0x7f.1/8",
    "10.0.0.0/8/8",
    "::/129",
    "a/8",
    "/8",
  ]) {
    assert.equal(parseCidr(text), null, text);
  }
  const cidr = parseCidr("127.0.0.0/8");
  assert.ok(cidr);
  assert.ok(cidrContains(cidr, "127.1.2.3"));
  assert.ok(cidrContains(cidr, "::ffff:127.0.0.1"));
  assert.ok(!cidrContains(cidr, "128.0.0.0"));
  assert.ok(!cidrContains(cidr, "::1"));
});
