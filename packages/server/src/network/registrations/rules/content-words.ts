import type { RegistrationCode } from "@longwave/contract";

/** Words of content that carriers prohibit (folded text; English, Spanish, French). */
// biome-ignore format: one kind per line
export const PROHIBITED: readonly (readonly [code: RegistrationCode, words: RegExp])[] = [
  ["content.prohibited_debt", /\b(?:debt collect(?:or|ors|ion)|collection agency|collections agency|third[- ]party collections?|debt (?:relief|settlement|consolidation)|agencia de cobranzas?|recouvrement de creances)\b/g],
  ["content.prohibited_cannabis", /\b(?:cannabis|marijuana|dispensary|dispensaries|thc|cbd|kratom|delta-?8|420 deals|marihuana)\b/g],
  ["content.prohibited_gambling", /\b(?:casinos?|sportsbooks?|sports betting|place your bets?|free spins|online poker|slot machines?|jackpots?|apuestas|tragamonedas|paris sportifs)\b/g],
  ["content.prohibited_loans", /\b(?:payday loans?|title loans?|cash advances?|no credit check|same[- ]day loans?|guaranteed (?:loan|approval)|prestamos? (?:rapidos?|al instante)|prets? rapides?)\b/g],
  ["content.prohibited_crypto", /\b(?:crypto(?:currency|currencies)?|bitcoin|ethereum|airdrops?|token presale|forex signals|guaranteed returns|get rich quick|double your money|criptomonedas?|cryptomonnaies?)\b/g],
  ["content.prohibited_adult", /\b(?:porn\w*|xxx|escorts?|sex (?:chat|cams?|toys?|shop)|adult (?:videos?|entertainment|content)|nudes?|hookups?|onlyfans)\b/g],
  ["content.prohibited_firearms", /\b(?:firearms?|ammunition|ammo|handguns?|rifles?|shotguns?|silencers?|gun (?:shop|store|sale|show)|armas de fuego|armes a feu)\b/g],
  ["content.prohibited_tobacco", /\b(?:tobacco|cigarettes?|cigars?|vapes?|vaping|e-?liquids?|nicotine|hookahs?|tabaco|cigarrillos|tabac|vapotage)\b/g],
  ["content.prohibited_hate", /\b(?:white power|racial purity|kill all|death to|ethnic cleansing|exterminate)\b/g],
  ["content.prohibited_leads", /\b(?:(?:buy|sell|selling|buying) (?:\w+ ){0,2}leads|lead (?:marketplace|exchange|broker)|affiliate (?:marketing|offers?|program))\b/g],
];

/** One mention may be an aside (a dentist on tobacco); this many make it the page's subject. */
export const PAGE_MENTIONS_MIN = 3;
