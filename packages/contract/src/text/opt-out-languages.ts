/**
 * Opt-out requests in other languages of the US and Canada, as data for opt-out-phrases.ts. Spanish
 * and French in breadth, the rest by their plain word for stop. Entries are written naturally and
 * folded on load.
 */
import { foldText, wordsOf } from "./text-folding.ts";

const fold = (phrase: string): string => wordsOf(foldText(phrase)).join(" ");
const foldedSet = (phrases: string): ReadonlySet<string> => new Set(phrases.split("|").map(fold));

/** Courtesy before or after a request. */
export const COURTESY_ELSEWHERE: readonly string[] =
  "por favor|porfavor|porfa|ya|hola|gracias|buenos dias|buenas|svp|s'il vous plaît|s'il te plaît|merci|bonjour|ahora|please"
    .split("|")
    .map(fold);

/** Single words that count only as the whole message: "alto riesgo", "arrêt de bus". */
export const WHOLE_TEXT_ELSEWHERE: ReadonlySet<string> = foldedSet(
  "alto|parar|pare|paren|basta|detener|deténgase|detente|cancelar|salir|baja|desuscribir|desuscribirme|desuscribirse|" +
    "arrêt|arrêter|arrête|arrêtez|arretez|désabonner|désabonnement|désinscrire|désinscription|" +
    "sair|descadastrar|cancelar inscrição|parar de enviar|" +
    "退订|退訂|停止|取消订阅|取消訂閱|配信停止|수신거부|중지|그만|" +
    "стоп|отписаться|хватит|dừng|dừng lại|ngừng|hủy đăng ký|sispann|itigil|abbestellen|abmelden|توقف",
);

/** Whole requests, as a sentence or as a clause of one. */
export const REQUEST_ELSEWHERE: ReadonlySet<string> = foldedSet(
  "no más|stop mensajes|no más mensajes|no más textos|basta ya|ya basta|basta de mensajes|para ya|paren ya|alto a los mensajes|" +
    "dar de baja|darme de baja|darse de baja|dame de baja|deme de baja|denme de baja|quiero darme de baja|" +
    "cancelar suscripción|cancelar la suscripción|cancelar mi suscripción|cancelar mensajes|cancelar los mensajes|" +
    "número equivocado|número incorrecto|se equivocó de número|tiene el número equivocado|tienen el número equivocado|tienes el número equivocado|persona equivocada|" +
    "déjame en paz|déjeme en paz|déjenme en paz|no molesten|no me molesten|no me moleste|" +
    "me désabonner|désabonnez moi|je veux me désabonner|je souhaite me désabonner|je voudrais me désabonner|" +
    "me désinscrire|désinscrivez moi|je veux me désinscrire|" +
    "arrêtez de m'envoyer des textos|arrêtez de m'envoyer des messages|arrêtez de m'envoyer des sms|arrêtez de me texter|arrêtez de m'écrire|arrêtez de me contacter|arrêtez les messages|arrêtez les textos|cessez de m'envoyer des messages|cessez de me texter|" +
    "plus de textos|plus de messages|plus de sms|ne me contactez plus|ne me textez plus|ne m'écrivez plus|ne m'envoyez plus de messages|ne m'envoyez plus de textos|" +
    "supprimez mon numéro|mauvais numéro|vous avez le mauvais numéro|laissez moi tranquille|" +
    "não quero mais mensagens|não quero receber mensagens|não me mande mais mensagens|número errado|pare de me mandar mensagens|" +
    "отпишите меня|не пишите мне|не пишите мне больше|đừng nhắn tin nữa|sispann voye mesaj|不要再发了|别再发了|不要发短信",
);

const MENSAJES = "(?:mensajes?|textos?|sms|publicidad|spam)";
const LISTA = "(?: de (?:la|su|tu|esta|sus) listas?)";
const LISTE = "(?: de (?:la|votre|cette|vos) listes?)";

/** Patterns, because verbs have an ending for each person. */
export const REQUEST_ELSEWHERE_PATTERN = new RegExp(
  `^(?:${[
    `(?:no|nunca) (?:me|nos) (?:mand(?:e|en|es)|envi(?:e|en|es)|escrib(?:a|an|as)|texte(?:e|en|es)|contact(?:e|en|es))(?: mas)?(?: ${MENSAJES})?(?: mas)?`,
    `no (?:quiero|deseo)(?: recibir)?(?: mas)? ${MENSAJES}(?: (?:mas|suyos|de ustedes))?`,
    `dej(?:a|e|en) de (?:mandar|enviar|escribir|textear|molestar)(?:me|nos)?(?: mas)?(?: ${MENSAJES})?`,
    `par(?:a|e|en) de (?:mandar|enviar|escribir|textear|molestar)(?:me|nos)?(?: mas)?(?: ${MENSAJES})?`,
    `(?:quit(?:a|e|en|ar)|saqu(?:e|en)|saca|sacar|borr(?:a|e|en|ar)|elimin(?:a|e|en|ar))(?:me|nos)${LISTA}?`,
    `(?:quit(?:a|e|en)|saqu(?:e|en)|saca|borr(?:a|e|en)|elimin(?:a|e|en)) (?:mi|este) (?:numero|telefono)${LISTA}?`,
    `(?:retirez|enlevez|supprimez|otez) moi${LISTE}?`,
  ].join("|")})$`,
);
