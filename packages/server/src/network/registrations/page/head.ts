import {
  attributesOf,
  childrenOf,
  type Element,
  isElement,
  type Node,
  ownText,
} from "./elements.ts";
import { addScriptRules, addStyleRules, type HideRules, noHideRules } from "./hiding.ts";

const TITLE_CHARS_MAX = 2_000;
const REFRESH_SECONDS_MAX = 5;

/** Document-wide facts that must be known before the text is read. */
export interface Head {
  readonly title: string;
  readonly siteName: string;
  readonly lang: string;
  readonly baseUrl: string;
  readonly refreshTo: string | null;
  readonly scripts: number;
  readonly hideRules: HideRules;
}

/** Reads the head in one pass over all elements. */
export function readHead(document: Node, pageUrl: string): Head {
  const hideRules = noHideRules();
  const found = { title: "", siteName: "", lang: "", base: "", refresh: "", scripts: 0 };
  for (const element of elementsOf(document)) {
    if (element.tagName === "style") addStyleRules(hideRules, ownText(element));
    else if (element.tagName === "script") {
      found.scripts += 1;
      addScriptRules(hideRules, ownText(element));
    } else if (element.tagName === "title") found.title ||= ownText(element);
    else if (HEAD_TAGS.has(element.tagName)) noteAttributes(found, element);
  }
  const baseUrl = (found.base === "" ? null : absolute(found.base, pageUrl)) ?? pageUrl;
  return {
    title: oneLine(found.title),
    siteName: oneLine(found.siteName),
    lang: found.lang.toLowerCase().slice(0, 20),
    baseUrl,
    refreshTo: refreshTarget(found.refresh, baseUrl),
    scripts: found.scripts,
    hideRules,
  };
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim().slice(0, TITLE_CHARS_MAX);
}

const HEAD_TAGS = new Set(["html", "base", "meta"]);

/** The first of each counts, as in browsers. */
function noteAttributes(
  found: { siteName: string; lang: string; base: string; refresh: string },
  element: Element,
): void {
  const attributes = attributesOf(element);
  if (element.tagName === "html") found.lang ||= attributes.get("lang") ?? "";
  else if (element.tagName === "base") found.base ||= attributes.get("href") ?? "";
  else if (attributes.get("http-equiv")?.toLowerCase() === "refresh") {
    found.refresh ||= attributes.get("content") ?? "";
  } else if (attributes.get("property") === "og:site_name") {
    found.siteName ||= attributes.get("content") ?? "";
  }
}

function refreshTarget(content: string, baseUrl: string): string | null {
  const match = /^\s*(\d{1,6})(?:\.\d*)?\s*[;,]\s*(?:url\s*=\s*)?["']?([^"']{1,2048})/i.exec(
    content,
  );
  if (match === null || Number(match[1]) > REFRESH_SECONDS_MAX) return null;
  return absolute(match[2]?.trim() ?? "", baseUrl);
}

function* elementsOf(document: Node): Generator<Element> {
  const stack: Node[] = [document];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (isElement(node)) yield node;
    const children = childrenOf(node);
    for (let at = children.length - 1; at >= 0; at -= 1) stack.push(children[at] as Node);
  }
}

/**
 * Only URLs that a browser would open as a page; null for mail addresses, scripts and invalid URLs.
 */
export function absolute(href: string, baseUrl: string): string | null {
  try {
    const url = new URL(href.trim(), baseUrl);
    if (url.protocol !== "http:" && url.protocol !== "https:") return null;
    url.hash = "";
    return url.href.length <= 2_048 ? url.href : null;
  } catch {
    return null;
  }
}
