import type { KeywordAction, KeywordLanguage } from "@longwave/contract";

/**
 * Default replies of numbers without a registration. No reply may itself match an opt-out keyword or
 * phrase: a machine that echoes it must get no further reply.
 */
// biome-ignore format: one reply per line
const COPY: Readonly<Record<KeywordAction, (business: string) => string>> = {
  opt_out: (business) => `${business}: You are unsubscribed and will get no more messages. Reply START to resubscribe.`,
  opt_in: (business) => `${business}: You are subscribed. Msg frequency varies. Msg & data rates may apply. Reply HELP for help, STOP to cancel.`,
  help: (business) => `${business}: For help, contact us directly. Msg frequency varies. Msg & data rates may apply. Reply STOP to cancel.`,
};

/** Replies to French and Spanish keywords, in characters of GSM-7. Opt-ins have English keywords alone. */
// biome-ignore format: one reply per line
const COPY_ELSEWHERE: Readonly<Record<Exclude<KeywordLanguage, "en">, Readonly<Record<"opt_out" | "help", (business: string) => string>>>> = {
  fr: {
    opt_out: (business) => `${business} : désabonnement confirmé. Aucun autre message ne vous sera envoyé. Répondez START pour vous réabonner.`,
    help: (business) => `${business} : pour obtenir de l'aide, contactez-nous directement. Fréquence variable. Des frais de messages et de données peuvent s'appliquer. Répondez ARRET pour vous désabonner.`,
  },
  es: {
    opt_out: (business) => `${business}: baja confirmada. No le enviaremos otros mensajes. Responda START para volver a suscribirse.`,
    help: (business) => `${business}: para obtener ayuda, contacte con nosotros. La frecuencia de mensajes puede variar. Pueden aplicarse tarifas de mensajes y datos. Responda ALTO para cancelar.`,
  },
};

/** Replies that a registration files with the carriers as part of its campaign, and the business that it names. */
export type RegisteredReplies = Readonly<Record<KeywordAction, string>> & {
  readonly business: string;
};

/** Default reply in the language of the keyword. */
export function defaultReply(
  action: KeywordAction,
  business: string,
  language: KeywordLanguage = "en",
): string {
  if (language === "en" || action === "opt_in") return COPY[action](business);
  return COPY_ELSEWHERE[language][action](business);
}
