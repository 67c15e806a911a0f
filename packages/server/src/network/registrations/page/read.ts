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
import { absolute, type Head, readHead } from "./head.ts";
import { hides } from "./hiding.ts";
import { TextBuilder } from "./text-builder.ts";

const LABEL_CHARS_MAX = 2_000;
/** Nested labels are a mistake; the limit bounds the cost of a page full of them. */
const OPEN_LABELS_MAX = 3;
const LINK_CHARS_READ_MAX = 1_000;
const INLINE_FRAMES_MAX = 5;

/** Facts without leads, which website/discover.ts adds. */
export type PlainFacts = Omit<PageFacts, "leads">;

export function readPage(html: string, pageUrl: string): PlainFacts {
  const document = parse(html);
  const head = readHead(document, pageUrl);
  const walk = new Walk(head);
  walk.through(document);
  return walk.facts();
}

/** State of the walk. A hidden element hides its content. */
interface Context {
  readonly hidden: boolean;
  readonly banner: boolean;
  readonly form: number;
}

interface Frame {
  readonly element: Element | null;
  readonly children: readonly Node[];
  readonly context: Context;
  next: number;
  readonly leave: (() => void) | null;
}

interface OpenLabel {
  readonly forId: string | null;
  readonly words: TextBuilder;
}

interface FoundInput {
  readonly attributes: Attributes;
  readonly context: Context;
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
      { element: null, children: childrenOf(document), context: top, next: 0, leave: null },
    ];
    for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
      const child = frame.children[frame.next];
      frame.next += 1;
      if (child === undefined) {
        stack.pop();
        frame.leave?.();
        if (frame.element !== null && BLOCKS.has(frame.element.tagName)) this.#breakLine();
      } else if (isText(child)) {
        this.#onText(child.value, frame.context);
      } else if (isElement(child)) {
        const entered = this.#enter(child, frame.context);
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

  #onText(value: string, context: Context): void {
    for (const label of this.#openLabels.slice(-OPEN_LABELS_MAX)) label.words.append(value);
    if (context.hidden) this.#hidden.append(value);
    else if (context.banner) this.#banner.append(value);
    else this.#text.append(value);
  }

  #breakLine(): void {
    this.#text.breakLine();
    this.#hidden.breakLine();
    this.#banner.breakLine();
  }

  #enter(element: Element, outer: Context): Frame | null {
    const tag = element.tagName;
    if (tag === "noscript") this.#hidden.append(ownText(element).replace(/<[^>]*>?/g, " "));
    if (UNREAD.has(tag)) return null;
    const attributes = attributesOf(element);
    const context: Context = {
      hidden: outer.hidden || hides(this.#head.hideRules, tag, attributes),
      banner: outer.banner || isCookieBanner(tag, attributes),
      form: tag === "form" ? this.#forms.length : outer.form,
    };
    if (BLOCKS.has(tag)) this.#breakLine();
    const leave = this.#open(tag, attributes, context);
    const inline = tag === "iframe" ? this.#inlineFrame(attributes) : null;
    const children = inline === null ? childrenOf(element) : childrenOf(inline);
    return {
      element,
      children: tag === "iframe" && inline === null ? [] : children,
      context,
      next: 0,
      leave,
    };
  }

  /** Records an element; returns a function to call at its end. */
  #open(tag: string, attributes: Attributes, context: Context): (() => void) | null {
    if (tag === "form") return this.#openForm(attributes);
    if (tag === "label") return this.#openLabel(attributes);
    if (tag === "a" || tag === "area") return this.#openAnchor(attributes, context);
    if (tag === "input" || isToggle(attributes)) this.#onInput(attributes, context);
    else if (tag === "img") this.#onImage(attributes, context);
    else if (tag === "iframe" || tag === "frame") this.#onFrame(attributes, context);
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

  #openAnchor(attributes: Attributes, context: Context): (() => void) | null {
    const href = absolute(attributes.get("href") ?? "", this.#head.baseUrl);
    if (!attributes.has("href") || href === null || context.hidden || context.banner) return null;
    const named = attributes.get("aria-label") ?? attributes.get("title") ?? attributes.get("alt");
    const link = { href, start: this.#text.length, end: this.#text.length, alt: named ?? "" };
    if (this.#links.length < LINKS_MAX) this.#links.push(link);
    this.#openLink = link;
    return () => {
      this.#openLink = null;
      link.end = this.#text.length;
    };
  }

  #onInput(attributes: Attributes, context: Context): void {
    if (this.#inputs.length >= FIELDS_MAX || context.banner) return;
    this.#inputs.push({ attributes, context, labels: this.#openLabels.slice(-OPEN_LABELS_MAX) });
  }

  #onImage(attributes: Attributes, context: Context): void {
    const alt = attributes.get("alt");
    if (alt === undefined || context.hidden || context.banner) return;
    this.#images.append(alt);
    this.#images.breakLine();
    if (this.#openLink !== null) this.#openLink.alt = `${this.#openLink.alt} ${alt}`.slice(0, 400);
  }

  #onFrame(attributes: Attributes, context: Context): void {
    if (context.hidden || attributes.has("srcdoc") || this.#frames.length >= FRAMES_MAX) return;
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

function asField({ attributes, context, label }: LabelledInput): PageField[] {
  if (context.hidden || isToggle(attributes)) return [];
  const names = ["name", "id", "placeholder", "autocomplete"].map((name) => attributes.get(name));
  const kind = fieldKind(attributes, fold([...names, label].join(" ")));
  return kind === null ? [] : [{ kind, label, form: context.form }];
}

function asBox({ attributes, context, label }: LabelledInput): PageBox[] {
  const isBox = attributes.get("type")?.toLowerCase() === "checkbox";
  if (!isBox && !isToggle(attributes)) return [];
  return [
    {
      label,
      name: fold(`${attributes.get("name") ?? ""} ${attributes.get("id") ?? ""}`.trim()),
      checked: attributes.has("checked") || attributes.get("aria-checked") === "true",
      required: attributes.has("required") || attributes.get("aria-required") === "true",
      shown: !context.hidden,
      form: context.form,
    },
  ];
}
