import {
  BAKERY,
  BANK_APP,
  CHARITY,
  COURIER,
  DENTIST,
  RESTAURANT,
  SALON,
  SHOP,
} from "./businesses.ts";
import { type CorpusSite, remove, replace, sentenceDefects, site } from "./edits.ts";
import { footer, WORDS } from "./template.ts";

const { en, es, fr } = WORDS;

/** Websites with one defect each, of the homepage, the privacy policy or the terms. */
export const POLICY_DEFECTS: readonly CorpusSite[] = [
  site(
    "defect-name-missing",
    { ...DENTIST, name: "Hillside Dental" },
    [replace("index.html", /Hillside Dental/g, "Bright Smiles")],
    ["website.name_missing"],
  ),
  site(
    "defect-placeholder",
    SHOP,
    [
      replace(
        "index.html",
        SHOP.about,
        "Our new website is coming soon. We look forward to showing you what we have built for you in the past months.",
      ),
    ],
    ["website.placeholder"],
  ),
  site(
    "defect-script-only",
    BANK_APP,
    [
      (files) => {
        files["index.html"] =
          '<!doctype html><title>Copperline</title><div id="root"></div><a href="/privacy.html"></a><script src="/app.js"></script>';
      },
    ],
    [
      "website.script_only",
      "website.contact_missing",
      "website.use_case_mismatch",
      "terms.link_missing",
      "optin.url_missing",
    ],
  ),
  site(
    "defect-no-contact",
    COURIER,
    [replace("index.html", `<p>${en.contact}</p>`, "")],
    ["website.contact_missing"],
  ),
  site(
    "defect-use-case",
    { ...RESTAURANT, useCase: "higher_education" },
    [],
    ["website.use_case_mismatch"],
  ),
  site(
    "defect-privacy-missing",
    DENTIST,
    [remove("privacy.html"), replace("index.html", /<a href="\/privacy.html">[^<]*<\/a>/, "")],
    ["privacy.missing"],
  ),
  site("defect-privacy-down", SHOP, [remove("privacy.html")], ["privacy.down"]),
  site(
    "defect-privacy-not-found-page",
    SHOP,
    [
      (files) => {
        files["privacy.html"] =
          "<!doctype html><title>Page not found</title><h1>404</h1><p>Sorry.</p>";
      },
    ],
    ["privacy.missing"],
  ),
  site(
    "defect-no-sharing-missing",
    CHARITY,
    [replace("privacy.html", `<p>${en.noSharing}</p>`, "")],
    ["privacy.no_sharing_missing"],
  ),
  site(
    "defect-no-sharing-hidden",
    CHARITY,
    [
      replace(
        "privacy.html",
        `<p>${en.noSharing}</p>`,
        `<p style="display:none">${en.noSharing}</p>`,
      ),
    ],
    ["privacy.no_sharing_missing"],
  ),
  site(
    "defect-no-sharing-in-script",
    COURIER,
    [
      replace(
        "privacy.html",
        `<p>${en.noSharing}</p>`,
        `<script>document.write(${JSON.stringify(en.noSharing)})</script>`,
      ),
    ],
    ["privacy.no_sharing_missing"],
  ),
  site(
    "defect-no-sharing-missing-es",
    SALON,
    [replace("privacy.html", `<p>${es.noSharing}</p>`, "")],
    ["privacy.no_sharing_missing"],
  ),
  site(
    "defect-no-sharing-missing-fr",
    BAKERY,
    [replace("privacy.html", `<p>${fr.noSharing}</p>`, "")],
    ["privacy.no_sharing_missing"],
  ),
  site(
    "defect-sharing",
    RESTAURANT,
    [
      replace(
        "privacy.html",
        en.use,
        "We may share your mobile number with our partners so that they can send you offers.",
      ),
    ],
    ["privacy.sharing"],
  ),
  site(
    "defect-privacy-without-texts",
    DENTIST,
    [
      replace(
        "privacy.html",
        "such as your name and the mobile number that you give us for text messages",
        "such as your name and address",
      ),
      replace(
        "privacy.html",
        en.noSharing,
        "We will never sell or share personal information with third parties.",
      ),
      replace("privacy.html", footer(DENTIST), ""),
    ],
    ["privacy.sms_missing"],
  ),
  site(
    "defect-privacy-copied",
    BANK_APP,
    [replace("privacy.html", /Copperline/g, "Acme Widgets")],
    ["privacy.name_missing"],
  ),
  site(
    "defect-privacy-blanks",
    BANK_APP,
    [replace("privacy.html", en.use, "Write to [Company E-mail] with questions.")],
    ["privacy.template"],
  ),
  site(
    "defect-terms-missing",
    SHOP,
    [remove("terms.html"), replace("index.html", /<a href="\/terms.html">[^<]*<\/a>/, "")],
    ["terms.missing"],
  ),
  site("defect-terms-down", DENTIST, [remove("terms.html")], ["terms.down"]),
  ...sentenceDefects("terms.html", DENTIST, "terms", ["stop", "help", "rates", "frequency"]),
  ...sentenceDefects("terms.html", SALON, "terms", ["stop", "help", "rates", "frequency"]),
  ...sentenceDefects("terms.html", BAKERY, "terms", ["stop", "help", "rates", "frequency"]),
  site(
    "defect-terms-program",
    COURIER,
    [replace("terms.html", /Northway Couriers Inc\./g, "the company")],
    ["terms.program_missing"],
  ),
  site(
    "defect-terms-carriers",
    COURIER,
    [replace("terms.html", `<p>${en.liable}</p>`, "")],
    ["terms.carriers_missing"],
  ),
  site(
    "defect-terms-privacy",
    CHARITY,
    [replace("terms.html", footer(CHARITY), "")],
    ["terms.privacy_missing"],
  ),
  site(
    "defect-terms-blanks",
    CHARITY,
    [replace("terms.html", en.liable, `${en.liable} Last changed on [insert date].`)],
    ["terms.template"],
  ),
];
