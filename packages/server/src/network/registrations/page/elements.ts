/** Queries on a parsed element. */
import type { DefaultTreeAdapterTypes as Tree } from "parse5";

export type Node = Tree.Node;
export type Element = Tree.Element;
export type Attributes = ReadonlyMap<string, string>;

export function isElement(node: Node): node is Element {
  return "tagName" in node;
}

export function isText(node: Node): node is Tree.TextNode {
  return node.nodeName === "#text";
}

export function childrenOf(node: Node): readonly Node[] {
  return "childNodes" in node ? node.childNodes : [];
}

export function attributesOf(element: Element): Attributes {
  return new Map(element.attrs.map(({ name, value }) => [name, value]));
}

/** Direct text of an element: the whole content of a title, script or style sheet. */
export function ownText(element: Element): string {
  return element.childNodes.map((node) => (isText(node) ? node.value : "")).join("");
}

/** Elements that start and end a line in a browser. */
export const BLOCKS = new Set(
  (
    "address article aside blockquote body br button caption center dd details dialog div dl dt fieldset figcaption " +
    "figure footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr iframe label legend li main menu nav ol option p " +
    "pre section select summary table tbody td tfoot th thead tr ul"
  ).split(" "),
);

/** Elements without visible text. */
export const UNREAD = new Set(
  "script style template noscript head select datalist option object embed canvas audio video math".split(
    " ",
  ),
);

const COOKIE_BANNER =
  /(?:cookie|gdpr|ccpa)s?[-_ ]?(?:banner|consent|notice|bar|pop-?up|modal|law|dialog|message|overlay|wall|prompt|settings|preferences)|onetrust|cookiebot|cookieyes|cky-|didomi|osano|cc-(?:window|banner)|consent-(?:banner|manager)|cmp-(?:container|banner)/i;

export function isCookieBanner(tag: string, attributes: Attributes): boolean {
  if (tag === "html" || tag === "body" || tag === "main") return false;
  return ["id", "class", "aria-label", "data-nosnippet"].some((name) => {
    const value = attributes.get(name);
    return value !== undefined && COOKIE_BANNER.test(value);
  });
}

const PHONE =
  /phone|(?<!auto)mobile|(?:^|[^a-z])(?:cell|cellular|tel|sms|movil|celular|telefono|portable|whatsapp)(?:[^a-z]|$)/;
const EMAIL = /e-?mail|correo|courriel/;
const TYPED = new Set(["", "text", "tel", "number", "email", "password"]);

/** Purpose of a form field, by its type and the words around it. */
export function fieldKind(
  attributes: Attributes,
  words: string,
): "phone" | "email" | "password" | null {
  const type = (attributes.get("type") ?? "").toLowerCase().trim();
  if (!TYPED.has(type)) return null;
  if (type === "tel") return "phone";
  if (type === "password" || type === "email") return type;
  if (PHONE.test(words)) return "phone";
  return EMAIL.test(words) ? "email" : null;
}
