import type { Alphabet, Host, IdForm, LongTextMode, StatusKind } from "@longwave/smpp";
import type { Environment, FieldCheck } from "../check-fields.ts";

/** Carriers file options of an SMPP carrier, beside the common ones. */
export interface SmppOptions {
  readonly hosts: readonly Host[];
  readonly tls: boolean;
  readonly systemId: string;
  readonly password: string;
  readonly systemType: string;
  readonly interfaceVersion: number;
  readonly bind: "transceiver" | "tx_rx";
  readonly binds: number;
  /** Unanswered submit_sm per bind. */
  readonly window: number;
  /** submit_sm per second across the installation; null without a limit. */
  readonly ratePerSecond: number | null;
  readonly receiptId: IdForm;
  readonly longMessages: LongTextMode;
  readonly hasWideReferences: boolean;
  readonly alphabet: Alphabet;
  readonly isGsm7Packed: boolean;
  readonly detectsReceiptsByText: boolean;
  readonly statusKinds: ReadonlyMap<number, StatusKind>;
  readonly answerMs: number;
  readonly enquireLinkMs: number;
}

const HOSTS_MAX = 10;
const PORT_DEFAULT = 2775;
const PORT_TLS_DEFAULT = 2776;
const STATUS_KINDS: readonly StatusKind[] = ["slow_down", "temporary", "permanent", "connection"];

export function readSmppOptions(check: FieldCheck, env: Environment): SmppOptions {
  const tls = check.flag("tls", false);
  return {
    tls,
    hosts: readHosts(check, tls),
    systemId: check.string("system_id", /^[\x21-\x7e]{1,15}$/, "1 to 15 characters", null),
    password: check.secret("password", PASSWORD, "at most 64 characters", env),
    systemType: check.string("system_type", /^[\x20-\x7e]{0,12}$/, "at most 12 characters", ""),
    interfaceVersion: check.whole("interface_version", 0x33, 0x50, 0x34),
    bind: check.oneOf("bind", ["transceiver", "tx_rx"], "transceiver"),
    binds: check.whole("binds", 1, 20, 1),
    window: check.whole("window", 1, 1_000, 10),
    ratePerSecond: check.has("rate") ? check.whole("rate", 1, 100_000, 1) : null,
    receiptId: check.oneOf("receipt_id", ["as_is", "hex_dec", "dec_hex"], "as_is"),
    longMessages: check.oneOf("long_messages", ["udh", "sar", "payload"], "udh"),
    hasWideReferences: check.flag("wide_references", false),
    alphabet: check.oneOf("alphabet", ["gsm7", "ascii", "latin1"], "gsm7"),
    isGsm7Packed: check.flag("gsm7_packed", false),
    detectsReceiptsByText: check.flag("receipts_by_text", false),
    statusKinds: readStatuses(check),
    answerMs: check.whole("answer_seconds", 1, 300, 60) * 1_000,
    enquireLinkMs: check.whole("enquire_link_seconds", 1, 600, 30) * 1_000,
  };
}

/** `hosts`, tried in order, or `host` and `port`. */
function readHosts(check: FieldCheck, tls: boolean): Host[] {
  const port = check.whole("port", 1, 65_535, tls ? PORT_TLS_DEFAULT : PORT_DEFAULT);
  if (!check.has("hosts")) {
    return [{ host: check.string("host", HOST_NAME, "the name or address of a host", null), port }];
  }
  if (check.has("host")) check.fail("host", "and hosts are both given: one of them is enough.");
  const list = check.value("hosts");
  if (!Array.isArray(list) || list.length === 0 || list.length > HOSTS_MAX) {
    check.fail(
      "hosts",
      `takes a list of 1 to ${HOSTS_MAX} names, each with ":port" if it has one.`,
    );
    return [];
  }
  return list.flatMap((entry: unknown, index) => {
    const [, host = "", own] = /^([a-zA-Z0-9.-]+)(?::(\d{1,5}))?$/.exec(String(entry)) ?? [];
    if (host === "" || Number(own ?? 1) > 65_535) {
      check.fail(
        `hosts[${index}]`,
        'takes a name, or a name and a port as in "smpp.example.com:2775".',
      );
      return [];
    }
    return [{ host, port: own === undefined ? port : Number(own) }];
  });
}

const HOST_NAME = /^[a-zA-Z0-9.:-]{1,253}$/;
const PASSWORD = /^[\x20-\x7e]{0,64}$/;

/** A carrier's own meaning of statuses: `{"0x45": "permanent"}`. */
function readStatuses(check: FieldCheck): Map<number, StatusKind> {
  const kinds = new Map<number, StatusKind>();
  const given = check.value("statuses");
  if (given === undefined) return kinds;
  if (typeof given !== "object" || given === null) {
    check.fail("statuses", 'takes an object as {"0x45": "permanent"}.');
    return kinds;
  }
  for (const [code, kind] of Object.entries(given)) {
    if (!/^0x[\da-f]{1,8}$/i.test(code) || !STATUS_KINDS.includes(kind as StatusKind)) {
      check.fail(
        "statuses",
        `has "${code}": it takes codes as "0x45", each ${STATUS_KINDS.join(", ")}.`,
      );
    } else kinds.set(Number(code), kind as StatusKind);
  }
  return kinds;
}
