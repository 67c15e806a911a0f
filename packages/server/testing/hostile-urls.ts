/** URLs of private addresses in every known spelling. None may be saved or reached. */

const PRIVATE_V4 = [
  ["0.0.0.0", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.127.255.255"],
  [
    "127.0.0.1",
    "127.255.255.254",
    "169.254.169.254",
    "169.254.170.2",
    "172.16.0.1",
    "172.31.255.255",
  ],
  ["192.0.0.1", "192.0.2.1", "192.88.99.1", "192.168.0.1", "192.168.255.255", "198.18.0.1"],
  ["198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.250"],
  ["240.0.0.1", "255.255.255.255", "168.63.129.16"],
].flat();

const PRIVATE_V6 = [
  ["::", "::1", "0:0:0:0:0:0:0:1", "fe80::1", "febf::1", "fec0::1", "fc00::1", "fd00:ec2::254"],
  ["ff02::1", "100::1", "2001::1", "2001:db8::1", "2001:10::1", "3fff::1", "5f00::1", "4000::1"],
  ["64:ff9b:1::1", "64:ff9b:1::a9fe:a9fe", "2001:0:4136:e378:8000:63bf:3fff:fdd2"],
].flat();

const SPELLINGS_OF_LOOPBACK = [
  [
    "127.1",
    "127.0.1",
    "0x7f.1",
    "0x7f.0.0.1",
    "0177.0.0.1",
    "0177.1",
    "2130706433",
    "017700000001",
  ],
  [
    "0x7f000001",
    "0x7F000001",
    "127.0.0.1.",
    "0x7f.1.",
    "①②⑦.⓪.⓪.①",
    "127。0。0。1",
    "127．0．0．1",
  ],
  ["%31%32%37.0.0.1", "127.0.0.%31", "0", "0.0.0.0.", "00", "0x0", "1２7.0.0.1"],
  ["localhost", "LOCALHOST", "localhost.", "localhost..", "sub.localhost", "sub.localhost."],
  ["ⅼocalhost", "%6c%6f%63%61%6c%68%6f%73%74", "loc\u00adalhost", "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ"],
].flat();

const PRIVATE_NAMES = [
  ["printer.local", "printer.local.", "metadata.google.internal", "metadata.google.internal."],
  [
    "db.internal",
    "INTERNAL",
    "nas.home.arpa",
    "hidden.onion",
    "metadata",
    "intranet",
    "kubernetes",
  ],
].flat();

/** The address inside IPv6: mapped, compatible, NAT64, 6to4, ISATAP-like. */
function embedded(v4: string): string[] {
  const [a = 0, b = 0, c = 0, d = 0] = v4.split(".").map(Number);
  const hex = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
  return [
    `[::ffff:${v4}]`,
    `[::ffff:${hex}]`,
    `[0:0:0:0:0:ffff:${v4}]`,
    `[::${v4}]`,
    `[64:ff9b::${v4}]`,
    `[64:ff9b::${hex}]`,
    `[64:ff9b:1::${hex}]`,
    `[2002:${hex}::1]`,
    `[::ffff:0:${hex}]`,
    `[fe80::5efe:${hex}]`,
  ];
}

/** Addresses that a hostile DNS server might return. */
export const privateAddresses: readonly string[] = [
  ...PRIVATE_V4,
  ...PRIVATE_V6,
  ...["::ffff:127.0.0.1", "::127.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "2002:7f00:1::1"],
];

export const hostileHosts: readonly string[] = [
  ...PRIVATE_V4,
  ...PRIVATE_V6.map((address) => `[${address}]`),
  ...PRIVATE_V4.flatMap(embedded),
  ...SPELLINGS_OF_LOOPBACK,
  ...PRIVATE_NAMES,
];

const CONFUSING = [
  "https:\\\\127.0.0.1\\",
  "https:/\\127.0.0.1/",
  "https:127.0.0.1",
  "https:///127.0.0.1/",
  "https://1.1.1.1 &@2.2.2.2# @3.3.3.3/",
  "https://allowed@127.0.0.1/",
  "https://example.com@127.0.0.1/",
  "https://example.com:443@127.0.0.1/",
  "https://127.0.0.1#@example.com/",
  "https://127.0.0.1?@example.com/",
  "https://127.0.0.1\\@example.com/",
  "https://127.0.0.1:443:80/",
  "https://[::1",
  "https://[::1%25lo]/",
  "https://localhost%00.example.com/",
  "https://localhost\t/",
  " https://127.0.0.1/",
  "ftp://example.com/",
  "file:///etc/passwd",
  "javascript:alert(1)",
  "data:text/html,hello",
  "gopher://127.0.0.1:70/",
  "blob:https://example.com/1",
  "//127.0.0.1/",
  "https://",
  "",
];

export const hostileUrls: readonly string[] = [
  ...hostileHosts.map((host) => `https://${host}/`),
  ...CONFUSING,
];
