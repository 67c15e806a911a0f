/**
 * A small compliant website in three languages. The corpus contains it unchanged, as untidy as real websites,
 * and with one defect at a time. Each sentence that a rule requires is a separate string.
 */
export interface Business {
  readonly name: string;
  readonly useCase: string;
  readonly lang: "en" | "es" | "fr";
  /** Homepage text of this business. */
  readonly about: string;
  readonly samples: readonly string[];
}

export interface SiteFiles {
  readonly [file: string]: string;
}

interface Wording {
  readonly home: string;
  readonly privacy: string;
  readonly terms: string;
  readonly signUp: string;
  readonly contact: string;
  readonly phone: string;
  readonly submit: string;
  readonly consent: (name: string) => string;
  readonly frequency: string;
  readonly rates: string;
  readonly help: string;
  readonly stop: string;
  readonly voluntary: string;
  readonly collect: (name: string) => string;
  readonly use: string;
  readonly noSharing: string;
  readonly program: (name: string) => string;
  readonly liable: string;
}

// biome-ignore format: one sentence per line
export const WORDS: Readonly<Record<Business["lang"], Wording>> = {
  en: {
    home: "Home", privacy: "Privacy policy", terms: "Text message terms", signUp: "Sign up for text updates",
    contact: "Questions? Contact us at hello@example.com or (503) 555-0142.", phone: "Mobile number", submit: "Sign me up",
    consent: (name) => `I agree to receive text messages from ${name} with updates and reminders.`,
    frequency: "Message frequency varies.", rates: "Message and data rates may apply.",
    help: "Reply HELP for help.", stop: "Reply STOP to cancel.", voluntary: "Consent is not a condition of any purchase.",
    collect: (name) => `This privacy policy says what ${name} does with personal information, such as your name and the mobile number that you give us for text messages.`,
    use: "We use it to answer you and to send what you asked for.",
    noSharing: "Mobile information and text message consent will not be shared with third parties or affiliates for marketing or promotional purposes.",
    program: (name) => `These terms are about the text messages of ${name}: updates and reminders for people who signed up for them.`,
    liable: "Carriers are not liable for delayed or undelivered messages.",
  },
  es: {
    home: "Inicio", privacy: "Política de privacidad", terms: "Términos de los mensajes de texto", signUp: "Suscríbase a los mensajes de texto",
    contact: "¿Preguntas? Contacto: hola@example.com o (503) 555-0142.", phone: "Número de teléfono móvil", submit: "Suscribirme",
    consent: (name) => `Acepto recibir mensajes de texto de ${name} con avisos y recordatorios.`,
    frequency: "La frecuencia de los mensajes varía.", rates: "Pueden aplicarse tarifas de mensajes y datos.",
    help: "Responda AYUDA para obtener ayuda.", stop: "Responda STOP para cancelar.", voluntary: "El consentimiento no es condición de compra.",
    collect: (name) => `Esta política de privacidad explica qué hace ${name} con sus datos personales, como su nombre y el número de teléfono que usted nos da para los mensajes de texto.`,
    use: "Los usamos para responderle y para enviarle lo que usted pidió.",
    noSharing: "No compartimos el número de teléfono móvil ni el consentimiento con terceros para fines de marketing.",
    program: (name) => `Estos términos son sobre los mensajes de texto de ${name}: avisos y recordatorios para quienes se suscribieron.`,
    liable: "Los operadores no son responsables de los mensajes que llegan tarde o no llegan.",
  },
  fr: {
    home: "Accueil", privacy: "Politique de confidentialité", terms: "Conditions des messages texte", signUp: "Inscription aux messages texte (SMS)",
    contact: "Une question ? Nous contacter : bonjour@example.com ou (503) 555-0142.", phone: "Numéro de téléphone portable", submit: "Je m'inscris",
    consent: (name) => `J'accepte de recevoir des SMS de ${name} avec des avis et des rappels.`,
    frequency: "La fréquence des messages varie.", rates: "Des frais de messages et de données peuvent s'appliquer.",
    help: "Répondez AIDE pour obtenir de l'aide.", stop: "Répondez STOP pour arrêter.", voluntary: "Le consentement n'est pas une condition d'achat.",
    collect: (name) => `Cette politique de confidentialité dit ce que ${name} fait de vos données personnelles, comme votre nom et le numéro de téléphone que vous nous donnez pour les SMS.`,
    use: "Nous les utilisons pour vous répondre et pour vous envoyer ce que vous avez demandé.",
    noSharing: "Nous ne partageons ni votre numéro de téléphone portable ni votre consentement avec des tiers à des fins de marketing.",
    program: (name) => `Ces conditions concernent les SMS de ${name} : avis et rappels pour les personnes inscrites.`,
    liable: "Les opérateurs ne sont pas responsables des messages en retard ou perdus.",
  },
};

/** Footer links of every page. */
export function footer({ name, lang }: Business): string {
  const words = WORDS[lang];
  return `<footer><p>© 2026 ${name}</p><p>${words.contact}</p><a href="/index.html">${words.home}</a> <a href="/privacy.html">${words.privacy}</a> <a href="/terms.html">${words.terms}</a> <a href="/sms.html">${words.signUp}</a></footer>`;
}

export function form({ name, lang }: Business): string {
  const words = WORDS[lang];
  return `<form method="post" action="/subscribe">
<label for="phone">${words.phone}</label> <input type="tel" id="phone" name="phone">
<label><input type="checkbox" name="sms_consent"> ${words.consent(name)}</label>
<p>${words.frequency} ${words.rates} ${words.help} ${words.stop} ${words.voluntary}</p>
<button>${words.submit}</button>
</form>`;
}

function page(business: Business, title: string, body: string): string {
  return `<!doctype html>
<html lang="${business.lang}">
<head><meta charset="utf-8"><title>${title} | ${business.name}</title></head>
<body>
<header><h1>${business.name}</h1></header>
<main>
${body}
</main>
${footer(business)}
</body>
</html>
`;
}

export function compliantSite(business: Business): SiteFiles {
  const { name, lang, about } = business;
  const words = WORDS[lang];
  return {
    "index.html": page(business, words.home, `<h2>${name}</h2>\n<p>${about}</p>`),
    "privacy.html": page(
      business,
      words.privacy,
      `<h2>${words.privacy}</h2>\n<p>${words.collect(name)}</p>\n<p>${words.use}</p>\n<p>${words.noSharing}</p>`,
    ),
    "terms.html": page(
      business,
      words.terms,
      `<h2>${words.terms}</h2>\n<p>${words.program(name)}</p>\n<p>${words.frequency} ${words.rates} ${words.help} ${words.stop}</p>\n<p>${words.liable}</p>`,
    ),
    "sms.html": page(business, words.signUp, `<h2>${words.signUp}</h2>\n${form(business)}`),
  };
}
