import assert from "node:assert/strict";
import test from "node:test";
import { Problem } from "@longwave/contract";
import { RULE_DEFAULTS } from "../../../core/config/verify-rules.ts";
import { checkAppName } from "./app-name.ts";

const check = (name: string) => checkAppName(name, RULE_DEFAULTS.reserved_names);

test("a name may be any printable string, punctuation and emoji included", () => {
  const good = [
    ...[
      "Pineapple",
      "Gazelle",
      "Virsa",
      "Firstbank",
      "Pineapp",
      "Gm Mail",
      "Chinstar",
      "Amazing Zone",
      "Clear",
      "Mercato",
      "Quiqley",
      "Альфа",
      "Соль",
    ],
    ...["St. John's", "A&B_c-1", "Ёлка", "Café", "Bank!", "Acme (EU) #1: 50% off?", "Área 51"],
    ...[
      "🍕 Pizza",
      "👩\u200D💻 Dev",
      "❤\uFE0F",
      "東京カード",
      "한국 銀行",
      "გამარჯობა",
      "123",
      "5 µm",
    ],
  ];
  for (const name of good) assert.equal(check(name), name.normalize("NFC"), name);
});

test("hidden characters, line breaks, addresses, codes, mixed scripts and reserved names are refused", () => {
  const bad = [
    ...["  ", "a\nb", "a\u2028b", "a\u202Eb", "a\u200Bb", "a\u200Db", "Acme\u0000", "\uE000"],
    ...[
      "evil.com",
      "evil\uFF0Ecom",
      "evil\u3002com",
      "evil\uFF61com",
      "\uFF45vil.\uFF43\uFF4F\uFF4D",
      "www acme",
      "http://x",
      "1.2.3.4",
    ],
    ...["Acme 1234", "\u0661\u0662\u0663\u0664", "①②③④"],
    ...["Pаypal", "Яcme", "Αcme", "アcme"],
    ...[
      "PayPaI",
      "PayPa1",
      "Paypa|",
      "PAYPAJ",
      "Arnazon",
      "VVhatsApp",
      "Netf1ix",
      "lnstagram",
      "C0inbase",
    ],
    ...[
      "PayPalSupport",
      "AppleSupport",
      "MYPAYPAL",
      "Pay$Pal",
      "@mazon",
      "MyPayPal",
      "Microsofting",
      "Goog1ePay",
      "P a y P a l",
      "P.a.y.P.a.l",
    ],
    ...["GooqIe", "Teleqram", "РАУРАЬ", "раураь"],
    ...["PayPal", "Pay-Pal Help", "G00gle", "Your Bank", "Pay!Pal"],
  ];
  for (const name of bad) {
    assert.throws(() => check(name), Problem, JSON.stringify(name));
  }
});
