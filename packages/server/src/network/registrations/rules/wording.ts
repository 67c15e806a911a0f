/**
 * Words that the rules look for, in English, Spanish and French. Patterns match folded text (lower
 * case, no accents, straight quotes). A space stands for any white space; `…` for up to 80
 * characters of the same sentence.
 */
const GAP = "[^.\\n]{0,80}?";

function phrases(...sources: string[]): RegExp {
  const parts = sources.map((source) => source.replaceAll("…", GAP).replaceAll(" ", "\\s+"));
  return new RegExp(parts.map((part) => `(?:${part})`).join("|"), "g");
}

const NUMBER =
  "(?:\\d{1,3}|one|two|three|four|five|six|seven|eight|ten|un|une|uno|una|dos|tres|cuatro|deux|trois|quatre)";
const UNIT_OF_TIME =
  "(?:day|week|month|year|mo|wk|order|appointment|request|visit|login|sign-in|transaction|purchase|delivery|event)";

export const WORDING = {
  /** Agreement to get messages. */
  consent: phrases(
    "\\b(?:agree|agreeing|consent|consenting|opt-?in|opting in|opt in|authorize) (?:to |for )?(?:receive|receiving|get|getting|be contacted|being contacted|be texted|recurring|text|texts|sms|messages)\\b",
    "\\bby (?:signing up|subscribing|submitting|entering|providing|checking|clicking|texting|joining)\\b…\\b(?:agree|consent|opt in|authorize|receive)\\b",
    "\\b(?:agree|agreeing|consent|consenting) (?:that|to)\\b…(?:\\btext|\\bsms\\b|messag|contact)",
    "\\b(?:would like|i'd like|want|wish) to (?:receive|get)\\b…(?:text|sms|messag|alert|offer|update|reminder|notification)",
    "\\byes[,!:]? (?:please )?(?:i (?:agree|consent|want|would)|sign me up|text me|send me)",
    "\\b(?:text|send) me\\b…(?:offers|updates|reminders|alerts|codes|texts|news|deals)",
    "\\b(?:acepto|aceptas|acepta|aceptando|autorizo|autorizas|autoriza|consiento|consiente|deseo|quiero|estoy de acuerdo (?:en|con)|doy mi consentimiento para|da su consentimiento para) (?:en )?(?:recibir|que…(?:mensaj|texto|sms|contact))",
    "(?:\\bj'accepte|\\bvous acceptez|\\bj'autorise|\\bvous autorisez|\\bje consens|\\bvous consentez|\\bje souhaite|\\bje veux)…(?:recevoir|etre contacte|messag|\\bsms\\b|texto)",
  ),
  /** Text messages, by any of their names. */
  channel: phrases(
    "\\btext(?:s|ed|ing)?\\b(?! (?:field|box|version|size))",
    "\\bsms\\b",
    "\\bmms\\b",
    "\\bmensajes? de texto\\b",
    "\\bmessages? textes?\\b",
    "\\btextos?\\b",
  ),
  stop: phrases(
    "\\b(?:reply|replying|text|texting|send|sending|respond|responding|txt)\\b…\\b(?:stop|stopall|unsubscribe|cancel|quit|end)\\b",
    "\\bstop\\b…(?:to (?:cancel|opt|unsubscribe|end|quit|stop)|at any time)",
    "\\b(?:responda|responde|respondiendo|envie|envia|enviando|escriba|escribe)\\b…\\b(?:stop|alto|parar|cancelar|baja)\\b",
    "\\b(?:repondez|repondre|repondant|envoyez|envoyant|textez|texter)\\b…\\b(?:stop|arret)\\b",
  ),
  help: phrases(
    "\\b(?:reply|replying|text|texting|send|sending|respond|txt)\\b…\\b(?:help|info)\\b",
    "\\bhelp\\b (?:for|to get) (?:help|info|more|assistance|support)",
    "\\b(?:responda|responde|envie|envia|escriba|escribe|enviando|respondiendo)\\b…\\b(?:help|ayuda)\\b",
    "\\b(?:repondez|repondre|envoyez|textez|texter|envoyant|repondant)\\b…\\b(?:help|aide)\\b",
  ),
  rates: phrases(
    "\\b(?:message|messages|messaging|msg|msgs|text|sms|carrier|standard)\\b…\\brates?\\b…\\b(?:appl|charg)",
    "\\b(?:message|messaging|msg|text)\\b(?: ?(?:&|and) ?data)? (?:rates|fees|charges)\\b",
    "\\bdata rates\\b",
    "\\b(?:tarifas?|cargos?|costos?)\\b…\\b(?:mensajes?|mensajeria|datos|aplica|aplicar)",
    "\\b(?:frais|tarifs?)\\b…\\b(?:messages?|messagerie|donnees|s'appliqu)",
  ),
  frequency: phrases(
    "\\b(?:message|messages|messaging|msg|msgs|text|sms) frequency\\b",
    "\\bfrequency\\b…\\b(?:varies|vary|depends|depend)\\b",
    `\\b${NUMBER}(?: ?(?:-|to|or) ?${NUMBER})? (?:text |sms |marketing |automated |promotional )?(?:messages?|msgs?|texts?|alerts?|reminders?|sms)\\b(?: messages?)?…(?:per|a|an|each|every|\\/) ?${UNIT_OF_TIME}\\b`,
    "\\bone (?:message|text) (?:per|for each|each time)\\b",
    "\\bfrecuencia\\b…(?:mensaje|vari)",
    `\\b${NUMBER} mensajes?\\b…\\b(?:al|por|cada|a la) (?:dia|semana|mes|pedido|cita)\\b`,
    "\\bfrequence\\b…(?:message|envoi|vari)",
    `\\b${NUMBER} (?:messages?|sms|textos)\\b…\\bpar (?:jour|semaine|mois|commande|rendez-vous)\\b`,
  ),
  /** Purposes of text messages. */
  purpose: phrases(
    "\\b(?:offers?|deals?|promotions?|promotional|discounts?|coupons?|sales?|specials?|marketing|news|newsletters?)\\b",
    "\\b(?:reminders?|appointments?|updates?|alerts?|notifications?|confirmations?|status|tracking|deliver(?:y|ies)|orders?|shipping)\\b",
    "\\b(?:codes?|passcodes?|verification|security|account|service|support|customer care|surveys?|polls?|events?|invitations?|announcements?|closures?)\\b",
    "\\b(?:ofertas?|promociones|descuentos|recordatorios?|citas?|avisos?|alertas?|notificaciones|pedidos?|entregas?|codigos?|novedades|noticias)\\b",
    "\\b(?:offres?|promotions?|rappels?|rendez-vous|alertes?|notifications?|commandes?|livraisons?|nouvelles|avis)\\b",
  ),
  /** Mobile data stays with the business. Checked sentence by sentence. */
  noSharing: phrases(
    "\\b(?:not|never|no|nor|neither|without|don't|won't|doesn't|exclud\\w*)\\b[^.\\n]{0,160}?\\b(?:shar(?:e|es|ed|ing)|sell|sells|sold|rent|rented|disclos(?:e|ed|ing)|transfer(?:red)?|trad(?:e|ed)|provid(?:e|ed)|giv(?:e|en)|pass(?:ed)?)\\b[^.\\n]{0,200}?\\b(?:third|affiliates?|others?|anyone|partners?|outside|advertisers?|marketers?)\\b",
    "\\b(?:shared?|sold|sell|rented|disclosed|provided|given) (?:with|to) (?:no|none)\\b",
    "\\b(?:no|nunca|ningun|ninguna|jamas|ni)\\b[^.\\n]{0,160}?\\b(?:compart\\w*|vend\\w*|ced\\w*|divulg\\w*|transfer\\w*|alquil\\w*)[^.\\n]{0,200}?\\b(?:tercer\\w*|afiliad\\w*|otras empresas|socios|nadie)\\b",
    "(?:\\bne\\b|\\bn'|\\baucune?\\b|\\bjamais\\b|\\bni\\b)[^.\\n]{0,160}?\\b(?:partag\\w*|vend\\w*|ced\\w*|communiqu\\w*|divulg\\w*|transmi\\w*|lou\\w*)[^.\\n]{0,200}?\\b(?:tiers|tierces?|tierce|partenaires?|affili\\w*|autres (?:societes|entreprises))\\b",
  ),
  sharing: phrases(
    "\\b(?:share|sell|rent|disclose|provide|pass)\\b[^.\\n]{0,120}?\\b(?:phone|mobile|cell|text|sms|contact) ?(?:numbers?|messaging|data|information|details|opt-in|consent)\\b[^.\\n]{0,160}?\\b(?:third|partners?|affiliates?|advertisers?|sponsors?|other companies)\\b",
    "\\b(?:compart\\w*|vend\\w*|ced\\w*)\\b[^.\\n]{0,120}?\\b(?:telefono|movil|celular|numeros?)\\b[^.\\n]{0,160}?\\b(?:tercer\\w*|socios|afiliad\\w*|anunciantes)\\b",
    "\\b(?:partag\\w*|vend\\w*|ced\\w*|communiqu\\w*)\\b[^.\\n]{0,120}?\\b(?:telephone|portable|numeros?)\\b[^.\\n]{0,160}?\\b(?:tiers|partenaires?|affili\\w*|annonceurs)\\b",
  ),
  negation: phrases(
    "\\b(?:not|never|no|nor|except|excluding|excludes?|excluded|without|don't|won't|nunca|ningun|ninguna|salvo|excepto|aucune?|jamais|sauf)\\b",
    "\\bne\\b",
    "\\bn'",
  ),
  privacyPage: phrases(
    "\\bprivacy\\b",
    "\\bpersonal (?:information|data)\\b",
    "\\bprivacidad\\b",
    "\\bdatos personales\\b",
    "\\bconfidentialite\\b",
    "\\bdonnees personnelles\\b",
    "\\bvie privee\\b",
  ),
  termsPage: phrases(
    "\\bterms\\b",
    "\\bconditions\\b",
    "\\bagreement\\b",
    "\\bprogram (?:rules|description)\\b",
    "\\bterminos\\b",
    "\\bcondiciones\\b",
    "\\bconditions (?:generales|d'utilisation)\\b",
  ),
  carriersNotLiable: phrases(
    "\\bcarriers?\\b…\\b(?:not|no)\\b…\\b(?:liable|responsible|liability)\\b",
    "\\b(?:delayed|undelivered)\\b…\\bmessages?\\b",
    "\\b(?:operador\\w*|companias)\\b…\\bno\\b…\\bresponsab\\w*",
    "\\b(?:operateurs?)\\b…\\bresponsab\\w*",
  ),
  placeholder: phrases(
    "\\b(?:site|page|website) (?:is )?(?:coming soon|under construction|being built)\\b",
    "\\b(?:coming soon|under construction|launching soon)\\b",
    "\\bdomain (?:name )?(?:is|may be) for sale\\b",
    "\\bbuy this domain\\b",
    "\\bparked (?:domain|free)\\b",
    "\\bwelcome to nginx\\b",
    "\\bapache2? (?:ubuntu |debian )?default page\\b",
    "\\blorem ipsum\\b",
    "\\bit works!",
    "\\b(?:sitio|pagina) en construccion\\b",
    "\\bproximamente\\b",
    "\\b(?:site|page) en construction\\b",
    "\\bbientot disponible\\b",
  ),
  blanks: phrases(
    "\\[(?:your |company|business|insert|name|website|email|e-mail|date|address|state|phone)[^\\]\\n]{0,60}\\]",
    "\\{\\{?[a-z_ .]{2,42}\\}\\}?",
    "<(?:company|business|insert|your)[^>\\n]{0,40}>",
    "\\byour company name\\b",
    "\\bcompany name here\\b",
  ),
  keywordOptIn: phrases(
    "\\b(?:text|txt) (?:the word )?[\"']?(?!stop|help|end|quit|cancel|unsubscribe|us\\b|me\\b|messages?\\b)[a-z0-9]{2,15}[\"']? to (?:\\+?1[ .-]?)?(?:\\(?\\d{3}\\)?[ .-]?\\d{3}[ .-]?\\d{4}|\\d{5,6}|\\d{3}-?\\d{3})\\b",
    "\\b(?:envie|envia|manda) [\"']?[a-z0-9]{2,15}[\"']? al? (?:\\+?1[ .-]?)?(?:\\(?\\d{3}\\)?[ .-]?\\d{3}[ .-]?\\d{4}|\\d{5,6})\\b",
    "\\b(?:envoyez|textez) [\"']?[a-z0-9]{2,15}[\"']? au (?:\\+?1[ .-]?)?(?:\\(?\\d{3}\\)?[ .-]?\\d{3}[ .-]?\\d{4}|\\d{5,6})\\b",
  ),
  otherChannels: phrases(
    "\\be-?mails?\\b",
    "\\b(?:phone |automated |voice )?calls?\\b(?! us)",
    "\\bcorreos?\\b",
    "\\bllamadas?\\b",
    "\\bcourriels?\\b",
    "\\bappels?\\b",
  ),
  thirdParties: phrases(
    "\\b(?:from|by)\\b[^.\\n]{0,60}?\\b(?:partners|affiliates|third[- ]part(?:y|ies)|sponsors|affiliated companies)\\b",
    "\\b(?:its|our|their) (?:marketing )?(?:partners|affiliates)\\b",
    "\\b(?:y|de) (?:sus|nuestros) (?:socios|afiliados)\\b",
    "\\b(?:et|de) (?:ses|nos) partenaires\\b",
  ),
  forced: phrases(
    "\\b(?:must|required to|have to)\\b[^.\\n]{0,30}?\\b(?:agree|consent)\\b[^.\\n]{0,60}?\\b(?:text|sms|messages?)\\b",
    "\\bconsent (?:to (?:texts|text messages|sms|messages) )?is (?:required|mandatory|a condition)\\b",
  ),
  unclear: phrases(
    "\\bby any means\\b",
    "\\b(?:contact|reach|notify) you (?:from time to time|by phone, text|in any way|as (?:we see fit|permitted by law))\\b",
    "\\bvarious (?:communications|messages)\\b",
  ),
  donation: phrases(
    "\\b(?:donat(?:e|ion|ions|ing)|donar|donacion|donativos?|faire un don|dons?)\\b",
  ),
  friendsNumber: phrases(
    "\\b(?:refer|invite|tell) (?:a |your )?friends?\\b",
    "\\bfriend'?s (?:phone|mobile|cell|number)\\b",
    "\\brecomienda a un amigo\\b",
    "\\bparrainez\\b",
  ),
  contact: phrases(
    "\\bcontact\\b",
    "\\bcall us\\b",
    "\\b[\\w.+-]{1,64}@[\\w-]{1,63}\\.[a-z]{2,}",
    "\\(?\\d{3}\\)?[ .-]\\d{3}[ .-]\\d{4}\\b",
    "\\bcontacto\\b",
    "\\bnous (?:contacter|joindre)\\b",
  ),
  alcohol: phrases(
    "\\b(?:wine|beer|whiskey|bourbon|vodka|tequila|liquor|spirits|brewery|winery|distillery|taproom|vino|cerveza|vins?|bieres?)\\b",
  ),
  age: phrases(
    "\\b(?:21|18)\\b…\\b(?:older|over|years|age|anos|ans)\\b",
    "\\b(?:older|over|at least|age|must be)\\b…\\b(?:21|18)\\b",
    "\\b(?:21|18)\\+",
    "\\b(?:date of birth|age verification|fecha de nacimiento|date de naissance|legal drinking age)\\b",
  ),
} as const;

export type Concept = keyof typeof WORDING;

/** STOP and HELP in capitals are instructions in any language and context. */
export const CAPITAL_KEYWORDS = {
  stop: /\b(?:STOP|STOPALL|UNSUBSCRIBE|ALTO|ARRET|ARRÊT)\b(?!\s+BY|\s+IN\b)/,
  help: /\b(?:HELP|AYUDA|AIDE)\b/,
} as const;

export interface Match {
  readonly start: number;
  readonly end: number;
}

/** First match of a concept in folded text, from a position. */
export function findWording(concept: Concept, folded: string, from = 0): Match | null {
  const expression = WORDING[concept];
  expression.lastIndex = from;
  const match = expression.exec(folded);
  expression.lastIndex = 0;
  return match === null ? null : { start: match.index, end: match.index + match[0].length };
}

export function says(concept: Concept, folded: string): boolean {
  return findWording(concept, folded) !== null;
}
