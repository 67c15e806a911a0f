import {
  BANK_APP,
  BUSINESSES,
  CHARITY,
  COURIER,
  DENTIST,
  RESTAURANT,
  SALON,
  SHOP,
} from "./businesses.ts";
import {
  CONSENT_BOX,
  type CorpusSite,
  remove,
  replace,
  sentenceDefects,
  site,
  slug,
} from "./edits.ts";
import { footer, WORDS } from "./template.ts";

const en = WORDS.en;

/** Websites with one defect each, of the opt-in page or the business itself. */
export const OPT_IN_DEFECTS: readonly CorpusSite[] = [
  site(
    "defect-opt-in-missing",
    DENTIST,
    [remove("sms.html"), replace("index.html", / <a href="\/sms.html">[^<]*<\/a>/, "")],
    ["optin.url_missing"],
  ),
  site("defect-opt-in-down", SHOP, [remove("sms.html")], ["optin.down"]),
  site(
    "defect-phone-field",
    DENTIST,
    [replace("sms.html", /<label for="phone">.*\n/, "")],
    ["optin.phone_field_missing"],
  ),
  site(
    "defect-phone-field-hidden",
    SHOP,
    [replace("sms.html", '<input type="tel"', '<input hidden type="tel"')],
    ["optin.phone_field_missing"],
  ),
  site(
    "defect-behind-sign-in",
    BANK_APP,
    [
      replace(
        "sms.html",
        '<input type="tel" id="phone" name="phone">',
        '<input type="password" id="phone" name="secret">',
      ),
      replace("sms.html", 'for="phone">Mobile number', 'for="phone">Password'),
    ],
    ["optin.unverifiable", "optin.phone_field_missing"],
  ),
  ...BUSINESSES.filter(({ lang }) => lang !== "en")
    .concat([COURIER])
    .map((business) =>
      site(
        `defect-consent-${slug(business.name)}`,
        business,
        [
          replace(
            "sms.html",
            `<label>${CONSENT_BOX} ${WORDS[business.lang].consent(business.name)}</label>`,
            "",
          ),
        ],
        ["optin.express_consent"],
      ),
    ),
  site(
    "defect-consent-hidden",
    DENTIST,
    [
      replace("sms.html", "</head>", "<style>.fine { display: none }</style></head>"),
      replace("sms.html", "<label><input", '<label class="fine"><input'),
    ],
    ["optin.express_consent", "optin.hidden_text"],
  ),
  site(
    "defect-consent-hidden-by-script",
    SHOP,
    [
      replace("sms.html", "<label><input", '<label id="fine"><input'),
      replace(
        "sms.html",
        "</body>",
        '<script>document.getElementById("fine").style.display = "none";</script></body>',
      ),
    ],
    ["optin.express_consent", "optin.hidden_text"],
  ),
  site(
    "defect-consent-in-noscript",
    CHARITY,
    [replace("sms.html", /<label>(<input type="checkbox".*)<\/label>/, "<noscript>$1</noscript>")],
    ["optin.express_consent", "optin.hidden_text"],
  ),
  site(
    "defect-consent-in-image",
    RESTAURANT,
    [
      replace(
        "sms.html",
        `${CONSENT_BOX} ${en.consent(RESTAURANT.name)}`,
        `${CONSENT_BOX} <img src="fine.png" alt="${en.consent(RESTAURANT.name)}">`,
      ),
    ],
    ["optin.express_consent", "optin.text_in_image"],
  ),
  site(
    "defect-prechecked",
    DENTIST,
    [replace("sms.html", CONSENT_BOX, '<input type="checkbox" name="sms_consent" checked>')],
    ["optin.prechecked"],
  ),
  site(
    "defect-prechecked-switch",
    SHOP,
    [replace("sms.html", CONSENT_BOX, '<span role="switch" aria-checked="true"></span>')],
    ["optin.prechecked"],
  ),
  site(
    "defect-prechecked-es",
    SALON,
    [
      replace(
        "sms.html",
        CONSENT_BOX,
        '<input type="checkbox" name="sms_consent" CHECKED="checked">',
      ),
    ],
    ["optin.prechecked"],
  ),
  site(
    "defect-channel",
    COURIER,
    [
      replace(
        "sms.html",
        en.consent(COURIER.name),
        "I agree to be contacted by Northway Couriers about updates to my delivery.",
      ),
      replace("sms.html", /Sign up for text updates/g, "Stay informed"),
    ],
    ["optin.channel_missing"],
  ),
  site(
    "defect-opt-in-name",
    RESTAURANT,
    [replace("sms.html", /Mama Rosa Pizzeria/g, "our kitchen")],
    ["optin.name_missing"],
  ),
  site(
    "defect-purpose",
    BANK_APP,
    [
      replace(
        "sms.html",
        en.consent(BANK_APP.name),
        "I agree to receive text messages from Copperline.",
      ),
      replace("sms.html", /Sign up for text updates/g, "Sign up for texts"),
    ],
    ["optin.purpose_missing"],
  ),
  ...sentenceDefects("sms.html", CHARITY, "optin", ["stop", "help", "rates", "frequency"]),
  site(
    "defect-opt-in-links",
    DENTIST,
    [replace("sms.html", footer(DENTIST), "")],
    ["optin.privacy_link_missing", "optin.terms_link_missing"],
  ),
  site(
    "defect-bundled",
    SHOP,
    [
      replace(
        "sms.html",
        "I agree to receive text messages from",
        "I agree to receive text messages, e-mails and phone calls from",
      ),
    ],
    ["optin.bundled"],
  ),
  site(
    "defect-forced",
    BANK_APP,
    [replace("sms.html", CONSENT_BOX, '<input type="checkbox" name="sms_consent" required>')],
    ["optin.forced"],
  ),
  site(
    "defect-third-parties",
    COURIER,
    [
      replace(
        "sms.html",
        "with updates and reminders",
        "and its partners with updates and reminders",
      ),
    ],
    ["optin.third_parties"],
  ),
  site(
    "defect-donation",
    CHARITY,
    [
      replace("sms.html", CONSENT_BOX, ""),
      replace(
        "sms.html",
        "<h2>Sign up for text updates</h2>",
        "<h2>Donate $20 and sign up for text updates</h2>",
      ),
    ],
    ["optin.separate_consent"],
  ),
  site(
    "defect-insecure-form",
    DENTIST,
    [replace("sms.html", 'action="/subscribe"', 'action="http://forms.example.com/subscribe"')],
    ["optin.insecure_form"],
  ),
  site(
    "defect-unclear",
    RESTAURANT,
    [replace("sms.html", "with updates and reminders.", "with updates, by any means.")],
    ["optin.unclear"],
  ),
  site(
    "defect-friends-number",
    SHOP,
    [
      replace(
        "sms.html",
        '<label for="phone">Mobile number</label>',
        '<p>Invite a friend!</p><label for="phone">Your friend\'s mobile number</label>',
      ),
    ],
    ["use_case.viral"],
  ),
  site(
    "defect-cannabis",
    {
      ...SHOP,
      about:
        "Our dispensary has the best cannabis in town. Order marijuana online and pick it up today at our store, open every day of the week.",
    },
    [],
    ["content.prohibited_cannabis"],
  ),
  site(
    "defect-debt",
    {
      ...COURIER,
      name: "Summit Recovery",
      about:
        "Summit Recovery is a collection agency. We are debt collectors for hospitals; debt collection is what we do, and we deliver results for every order of our customers.",
      samples: COURIER.samples.map((s) => s.replace("Northway Couriers", "Summit Recovery")),
    },
    [],
    ["content.prohibited_debt"],
  ),
  site(
    "defect-casino",
    {
      ...RESTAURANT,
      about:
        "The best online casino: sports betting, free spins and a jackpot every night. Sign up and play from home today.",
    },
    [],
    ["content.prohibited_gambling"],
  ),
  site(
    "defect-alcohol",
    {
      ...SHOP,
      about:
        "Our winery makes wine and beer in small batches. Visit the taproom or shop our wine online; every bottle is delivered to your home.",
    },
    [],
    ["content.alcohol_age"],
  ),
];
