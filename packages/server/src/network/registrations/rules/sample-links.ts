import { parse } from "tldts";

/** Text that a phone turns into a link: with a scheme, or a name with a known ending. */
const LINK =
  /\bhttps?:\/\/[^\s<>"']{3,300}|\b(?:[a-z0-9-]{1,63}\.){1,4}[a-z]{2,12}(?:\/[^\s<>"']{0,300})?/gi;
const PHONE =
  /(?<![\d-])(?:\+?1[ .-]?)?\(?[2-9]\d{2}\)?[ .-]\d{3}[ .-]\d{4}(?!\d)|(?<!\d)\+1\d{10}(?!\d)|\b1?-?8(?:00|33|44|55|66|77|88)[ .-]\d{3}[ .-]?\d{4}\b/;
const LINKS_MAX = 20;

export function linksOf(text: string): string[] {
  const links: string[] = [];
  for (const { 0: found, index } of text.matchAll(LINK)) {
    // The part after an @ belongs to a mail address.
    if (text[index - 1] === "@" || text[index + found.length] === "@") continue;
    const link = found.replace(/[.,;:!?)]+$/, "");
    const { isIcann, isIp } = parse(link);
    if (/^https?:/i.test(link) || isIcann === true || isIp === true) links.push(link);
    if (links.length >= LINKS_MAX) break;
  }
  return links;
}

export function linkDomain(link: string): string {
  return (parse(link).domain ?? parse(link).hostname ?? link).toLowerCase();
}

export function hasPhoneNumber(text: string): boolean {
  return PHONE.test(text);
}
