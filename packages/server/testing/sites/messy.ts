import { BANK_APP, CHARITY, COURIER, DENTIST, RESTAURANT, SALON, SHOP } from "./businesses.ts";
import { type CorpusSite, remove, replace, site } from "./edits.ts";
import { footer, form, WORDS } from "./template.ts";

const en = WORDS.en;

/** Compliant websites with the untidy HTML of real ones. */
export const MESSY_SITES: readonly CorpusSite[] = [
  site(
    "mess-cookie-banner",
    DENTIST,
    [
      replace(
        "sms.html",
        "<main>",
        '<div id="cookie-banner" role="dialog"><p>We use cookies. By clicking accept you agree to receive cookies.</p><form><label><input type="checkbox" checked> Marketing cookies</label><button>Accept</button></form></div><main>',
      ),
    ],
    [],
  ),
  site(
    "mess-newsletter-popup",
    SHOP,
    [
      replace(
        "sms.html",
        "<main>",
        '<div role="dialog" class="popup"><form><label>E-mail <input type="email" name="email"></label><label><input type="checkbox" checked> Send me the newsletter</label></form></div><main>',
      ),
    ],
    [],
  ),
  site(
    "mess-closed-dialog",
    RESTAURANT,
    [
      replace(
        "index.html",
        "<main>",
        "<dialog><p>This page is under construction. Domain for sale.</p></dialog><main>",
      ),
    ],
    [],
  ),
  site(
    "mess-form-in-frame",
    COURIER,
    [
      replace("sms.html", form(COURIER), '<iframe src="/form.html" title="Sign up"></iframe>'),
      (files) => {
        files["form.html"] = `<!doctype html><title>Form</title>${form(COURIER)}`;
      },
    ],
    [],
  ),
  site(
    "mess-form-in-srcdoc",
    CHARITY,
    [replace("sms.html", form(CHARITY), `<iframe srcdoc='${form(CHARITY)}'></iframe>`)],
    [],
  ),
  site(
    "mess-frameset",
    BANK_APP,
    [
      (files) => {
        files["main.html"] = files["index.html"] ?? "";
        files["index.html"] =
          "<html><head><title>Copperline</title></head><frameset cols='100%'><frame src='/main.html'></frameset></html>";
      },
    ],
    [],
  ),
  site(
    "mess-footer-in-images",
    SHOP,
    [
      replace(
        "index.html",
        footer(SHOP),
        '<footer><a href="/privacy.html"><img src="p.png" alt="Privacy policy"></a><img src="map.png" usemap="#m"><map name="m"><area href="/terms.html" alt="Text message terms"><area href="/sms.html" alt="Sign up for text updates"></map><a href="/contact">Contact</a></footer>',
      ),
    ],
    [],
  ),
  site(
    "mess-logo-is-an-image",
    COURIER,
    [
      replace(
        "index.html",
        "<h1>Northway Couriers Inc.</h1>",
        '<h1><img src="logo.svg" alt="Northway Couriers"></h1>',
      ),
      replace("index.html", "<h2>Northway Couriers Inc.</h2>", "<h2>We carry it</h2>"),
      replace("index.html", "© 2026 Northway Couriers Inc.", "© 2026"),
      replace("index.html", " | Northway Couriers Inc.", ""),
    ],
    [],
  ),
  site(
    "mess-script-heavy",
    BANK_APP,
    [
      replace(
        "index.html",
        "</head>",
        `<script>window.__STATE__=${JSON.stringify({ copy: "This site is coming soon. Buy this domain.".repeat(20) })}</script><script src="/app.js" defer></script></head>`,
      ),
      replace("index.html", "<main>", '<div id="root" data-reactroot=""><main>'),
      replace(
        "sms.html",
        "</body>",
        '<template><input type="checkbox" checked> I agree to texts</template><script>document.querySelector("form").onsubmit = function () { document.getElementById("phone").style.display = "none"; };</script></body>',
      ),
    ],
    [],
  ),
  site(
    "mess-tag-soup",
    RESTAURANT,
    [
      replace("sms.html", "<main>", "<CENTER><TABLE><TR><TD><FONT COLOR=red><B>Text club<P>"),
      replace("sms.html", "</main>", "</FONT></TD></B>"),
      replace("terms.html", "<p>", "<p><div><p><span>"),
    ],
    [],
  ),
  site(
    "mess-no-doctype-windows-1252",
    SALON,
    [
      replace("index.html", '<meta charset="utf-8">', ""),
      replace("index.html", "<!doctype html>\n", ""),
    ],
    [],
  ),
  site(
    "mess-base-href",
    DENTIST,
    [
      replace("index.html", "</head>", '<base href="/pages/"></head>'),
      replace("index.html", /href="\//g, 'href="../'),
    ],
    [],
  ),
  site(
    "mess-entities-and-soft-hyphens",
    SHOP,
    [
      replace(
        "terms.html",
        "Message and data rates may apply.",
        "Mes&shy;sage &amp;&nbsp;data rates<br>may apply.",
      ),
    ],
    [],
  ),
  site(
    "mess-hidden-on-phones",
    DENTIST,
    [replace("sms.html", "<p>Message frequency", '<p class="hidden md:block">Message frequency')],
    [],
  ),
  site(
    "mess-print-style",
    DENTIST,
    [
      replace(
        "sms.html",
        "</head>",
        "<style>@media print { form, p { display: none } } .note { color: gray }</style></head>",
      ),
    ],
    [],
  ),
  site(
    "mess-remember-me",
    BANK_APP,
    [
      replace(
        "sms.html",
        "<button>",
        '<label><input type="checkbox" checked> Remember me on this device</label><button>',
      ),
    ],
    [],
  ),
  site(
    "mess-keyword-opt-in",
    CHARITY,
    [
      replace(
        "sms.html",
        /<label for="phone">.*\n<label>.*\n/,
        `<p>Text FOOD to (503) 555-0142. ${en.consent(CHARITY.name).replace("I agree", "By texting FOOD you agree")}</p>\n`,
      ),
    ],
    [],
  ),
  site(
    "mess-opt-in-on-homepage",
    RESTAURANT,
    [
      replace("index.html", "</main>", `${form(RESTAURANT)}</main>`),
      replace("index.html", / <a href="\/sms.html">[^<]*<\/a>/, ""),
      remove("sms.html"),
    ],
    [],
  ),
  site(
    "mess-usual-addresses",
    COURIER,
    [
      replace(
        "index.html",
        / <a href="\/privacy.html">[^<]*<\/a> <a href="\/terms.html">[^<]*<\/a>/,
        "",
      ),
    ],
    ["privacy.link_missing", "terms.link_missing"],
  ),
];
