/**
 * Extracts page facts from HTML. The parser follows the browsers' rules; the walk uses its own
 * stack, so fifty thousand nested elements do not overflow.
 */
import { parse } from "parse5";
import {
  type Attributes,
  attributesOf,
  BLOCKS,
  childrenOf,
  type Element,
  fieldKind,
  isCookieBanner,
  isElement,
  isText,
  type Node,
  ownText,
  UNREAD,
} from "./elements.ts";
import {
  FIELDS_MAX,
  FRAMES_MAX,
  HIDDEN_CHARS_MAX,
  LINKS_MAX,
  type PageBox,
  type PageFacts,
  type PageField,
  type PageForm,
  type PageLink,
  TEXT_CHARS_MAX,
} from "./facts.ts";
import { fold } from "./fold.ts";
import { addScriptRules, addStyleRules, type HideRules, hides, noHideRules } from "./hiding.ts";
import { TextBuilder } from "./text-builder.ts";

const LABEL_CHARS_MAX = 2_000;
/** Nested labels are a mistake; the limit bounds the cost of a page full of them. */
const OPEN_LABELS_MAX = 3;
const LINK_CHARS_READ_MAX = 1_000;
const INLINE_FRAMES_MAX = 5;
const REFRESH_SECONDS_MAX = 5;

/** Facts without leads, which website/discover.ts adds. */
export type PlainFacts = Omit<PageFacts, "leads">;

export function readPage(html: string, pageUrl: string): PlainFacts {
  const document = parse(html);
  const head = readHead(document, pageUrl);
  const walk = new Walk(head);
  walk.through(document);
  return walk.facts();
}

interface Head {
  readonly title: string;
  readonly siteName: string;
  readonly lang: string;
  readonly baseUrl: string;
  readonly refreshTo: string | null;
  readonly scripts: number;
  readonly hideRules: HideRules;
}

/** Document-wide facts that must be known before the text is read. */
function readHead(document: Node, pageUrl: string): Head {
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
  return text.replace(/\s+/g, " ").trim().slice(0, LABEL_CHARS_MAX);
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
function absolute(href: string, baseUrl: string): string | null {
  try {
    const url = new URL(href.trim(), baseUrl);
    if (url.protocol !== "http:" && url.protocol !== "https:") return null;
    url.hash = "";
    return url.href.length <= 2_048 ? url.href : null;
  } catch {
    return null;
  }
}

/** State of the walk. A hidden element hides its content. */
interface Place {
  readonly hidden: boolean;
  readonly banner: boolean;
  readonly form: number;
}

interface Frame {
  readonly element: Element | null;
  readonly children: readonly Node[];
  readonly place: Place;
  next: number;
  readonly leave: (() => void) | null;
}

interface OpenLabel {
  readonly forId: string | null;
  readonly words: TextBuilder;
}

interface FoundInput {
  readonly attributes: Attributes;
  readonly place: Place;
  readonly labels: readonly OpenLabel[];
}

class Walk {
  readonly #head: Head;
  readonly #text = new TextBuilder(TEXT_CHARS_MAX);
  readonly #hidden = new TextBuilder(HIDDEN_CHARS_MAX);
  readonly #banner = new TextBuilder(HIDDEN_CHARS_MAX);
  readonly #images = new TextBuilder(HIDDEN_CHARS_MAX);
  readonly #links: { href: string; start: number; end: number; alt: string }[] = [];
  readonly #forms: { start: number; end: number; action: string | null }[] = [];
  readonly #inputs: FoundInput[] = [];
  readonly #labels: OpenLabel[] = [];
  readonly #openLabels: OpenLabel[] = [];
  readonly #frames: string[] = [];
  #openLink: { alt: string } | null = null;
  #inlineFrames = 0;

  constructor(head: Head) {
    this.#head = head;
  }

  through(document: Node): void {
    const top = { hidden: false, banner: false, form: -1 };
    const stack: Frame[] = [
      { element: null, children: childrenOf(document), place: top, next: 0, leave: null },
    ];
    for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
      const child = frame.children[frame.next];
      frame.next += 1;
      if (child === undefined) {
        stack.pop();
        frame.leave?.();
        if (frame.element !== null && BLOCKS.has(frame.element.tagName)) this.#breakLine();
      } else if (isText(child)) {
        this.#onText(child.value, frame.place);
      } else if (isElement(child)) {
        const entered = this.#enter(child, frame.place);
        if (entered !== null) stack.push(entered);
      }
    }
  }

  facts(): PlainFacts {
    const text = this.#text.toString();
    const byId = labelsById(this.#labels);
    const inputs = this.#inputs.map((input) => ({ ...input, label: labelOf(input, byId) }));
    return {
      title: this.#head.title,
      siteName: this.#head.siteName,
      lang: this.#head.lang,
      text,
      folded: fold(text),
      hiddenText: this.#hidden.toString(),
      bannerText: this.#banner.toString(),
      imageText: this.#images.toString(),
      links: this.#links.map((link) => labelledLink(link, text)),
      forms: this.#forms as PageForm[],
      fields: inputs.flatMap(asField),
      boxes: inputs.flatMap(asBox),
      frames: this.#frames,
      refreshTo: this.#head.refreshTo,
      scripts: this.#head.scripts,
    };
  }

  #onText(value: string, place: Place): void {
    for (const label of this.#openLabels.slice(-OPEN_LABELS_MAX)) label.words.append(value);
    if (place.hidden) this.#hidden.append(value);
    else if (place.banner) this.#banner.append(value);
    else this.#text.append(value);
  }

  #breakLine(): void {
    this.#text.breakLine();
    this.#hidden.breakLine();
    this.#banner.breakLine();
  }

  #enter(element: Element, outer: Place): Frame | null {
    const tag = element.tagName;
    if (tag === "noscript") this.#hidden.append(ownText(element).replace(/<[^>]*>?/g, " "));
    if (UNREAD.has(tag)) return null;
    const attributes = attributesOf(element);
    const place: Place = {
      hidden: outer.hidden || hides(this.#head.hideRules, tag, attributes),
      banner: outer.banner || isCookieBanner(tag, attributes),
      form: tag === "form" ? this.#forms.length : outer.form,
    };
    if (BLOCKS.has(tag)) this.#breakLine();
    const leave = this.#open(tag, attributes, place);
    const inline = tag === "iframe" ? this.#inlineFrame(attributes) : null;
    const children = inline === null ? childrenOf(element) : childrenOf(inline);
    return {
      element,
      children: tag === "iframe" && inline === null ? [] : children,
      place,
      next: 0,
      leave,
    };
  }

  /** Records an element; returns a function to call at its end. */
  #open(tag: string, attributes: Attributes, place: Place): (() => void) | null {
    if (tag === "form") return this.#openForm(attributes);
    if (tag === "label") return this.#openLabel(attributes);
    if (tag === "a" || tag === "area") return this.#openAnchor(attributes, place);
    if (tag === "input" || isToggle(attributes)) this.#onInput(attributes, place);
    else if (tag === "img") this.#onImage(attributes, place);
    else if (tag === "iframe" || tag === "frame") this.#onFrame(attributes, place);
    return null;
  }

  #openForm(attributes: Attributes): () => void {
    const action = attributes.get("action");
    const form = {
      start: this.#text.length,
      end: this.#text.length,
      action: action === undefined ? null : absolute(action, this.#head.baseUrl),
    };
    this.#forms.push(form);
    return () => {
      form.end = this.#text.length;
    };
  }

  #openLabel(attributes: Attributes): () => void {
    const label = {
      forId: attributes.get("for") ?? null,
      words: new TextBuilder(LABEL_CHARS_MAX),
    };
    this.#labels.push(label);
    this.#openLabels.push(label);
    return () => {
      this.#openLabels.pop();
    };
  }

  #openAnchor(attributes: Attributes, place: Place): (() => void) | null {
    const href = absolute(attributes.get("href") ?? "", this.#head.baseUrl);
    if (!attributes.has("href") || href === null || place.hidden || place.banner) return null;
    const named = attributes.get("aria-label") ?? attributes.get("title") ?? attributes.get("alt");
    const link = { href, start: this.#text.length, end: this.#text.length, alt: named ?? "" };
    if (this.#links.length < LINKS_MAX) this.#links.push(link);
    this.#openLink = link;
    return () => {
      this.#openLink = null;
      link.end = this.#text.length;
    };
  }

  #onInput(attributes: Attributes, place: Place): void {
    if (this.#inputs.length >= FIELDS_MAX || place.banner) return;
    this.#inputs.push({ attributes, place, labels: this.#openLabels.slice(-OPEN_LABELS_MAX) });
  }

  #onImage(attributes: Attributes, place: Place): void {
    const alt = attributes.get("alt");
    if (alt === undefined || place.hidden || place.banner) return;
    this.#images.append(alt);
    this.#images.breakLine();
    if (this.#openLink !== null) this.#openLink.alt = `${this.#openLink.alt} ${alt}`.slice(0, 400);
  }

  #onFrame(attributes: Attributes, place: Place): void {
    if (place.hidden || attributes.has("srcdoc") || this.#frames.length >= FRAMES_MAX) return;
    const src = absolute(attributes.get("src") ?? "", this.#head.baseUrl);
    if (attributes.get("src") && src !== null) this.#frames.push(src);
  }

  /** A frame with srcdoc is part of this page. */
  #inlineFrame(attributes: Attributes): Node | null {
    const html = attributes.get("srcdoc");
    if (html === undefined || this.#inlineFrames >= INLINE_FRAMES_MAX) return null;
    this.#inlineFrames += 1;
    return parse(html);
  }
}

/** Label of an input: enclosing labels, labels that name its id, and its own attributes. */
function labelOf(
  { attributes, labels }: FoundInput,
  byId: ReadonlyMap<string, readonly OpenLabel[]>,
): string {
  const named = byId.get(attributes.get("id") ?? "") ?? [];
  const words = [...labels, ...named].map((label) => label.words.toString());
  const own = attributes.get("aria-label") ?? "";
  return [...words, own].join(" ").replace(/\s+/g, " ").trim().slice(0, LABEL_CHARS_MAX);
}

function labelsById(labels: readonly OpenLabel[]): Map<string, OpenLabel[]> {
  const byId = new Map<string, OpenLabel[]>();
  for (const label of labels) {
    if (label.forId === null) continue;
    const others = byId.get(label.forId);
    if (others === undefined) byId.set(label.forId, [label]);
    else if (others.length < OPEN_LABELS_MAX) others.push(label);
  }
  return byId;
}

function labelledLink(
  link: { href: string; start: number; end: number; alt: string },
  text: string,
): PageLink {
  // Nested links (SVG has them) share their text: each takes a beginning of it.
  const shown = text.slice(link.start, Math.min(link.end, link.start + LINK_CHARS_READ_MAX));
  const words = `${shown} ${link.alt.slice(0, LINK_CHARS_READ_MAX)}`;
  return { href: link.href, label: words.replace(/\s+/g, " ").trim().slice(0, 200) };
}

function isToggle(attributes: Attributes): boolean {
  const role = attributes.get("role");
  return role === "checkbox" || role === "switch";
}

interface LabelledInput extends FoundInput {
  readonly label: string;
}

function asField({ attributes, place, label }: LabelledInput): PageField[] {
  if (place.hidden || isToggle(attributes)) return [];
  const names = ["name", "id", "placeholder", "autocomplete"].map((name) => attributes.get(name));
  const kind = fieldKind(attributes, fold([...names, label].join(" ")));
  return kind === null ? [] : [{ kind, label, form: place.form }];
}

function asBox({ attributes, place, label }: LabelledInput): PageBox[] {
  const isBox = attributes.get("type")?.toLowerCase() === "checkbox";
  if (!isBox && !isToggle(attributes)) return [];
  return [
    {
      label,
      name: fold(`${attributes.get("name") ?? ""} ${attributes.get("id") ?? ""}`.trim()),
      checked: attributes.has("checked") || attributes.get("aria-checked") === "true",
      required: attributes.has("required") || attributes.get("aria-required") === "true",
      shown: !place.hidden,
      form: place.form,
    },
  ];
}
