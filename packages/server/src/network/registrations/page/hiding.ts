/**
 * Detects content that a page hides by attributes, its own style sheets, and scripts that run on
 * load. External style sheets are not fetched; the hiding class names of common frameworks are
 * known.
 */
export interface HideRules {
  readonly ids: Set<string>;
  readonly classes: Set<string>;
  readonly tags: Set<string>;
  readonly tagClasses: Set<string>;
}

const DECLARES_HIDDEN =
  /(?:^|[;{\s])(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|opacity\s*:\s*0?\.?0+\s*(?:[;!}]|$)|font-size\s*:\s*0(?:px|em|rem|pt|%)?\s*(?:[;!}]|$)|(?:left|top|text-indent|margin-left)\s*:\s*-\d{4,}(?:px|em|rem)?)/i;
const DECLARES_SHOWN = /(?:^|[;{\s])display\s*:\s*(?!none)[a-z-]+|visibility\s*:\s*visible/i;
const STYLE_RULES_MAX = 5_000;
const SIMPLE_SELECTOR = /^(?:([a-z][a-z0-9-]*)|([a-z][a-z0-9-]*)?\.([\w-]+)|[a-z]*#([\w-]+))$/i;
const HIDING_CLASSES = new Set(["hidden", "d-none", "is-hidden", "visually-hidden", "sr-only"]);
/** `hidden md:block`: hidden on small screens only. */
const SHOWN_ON_SOME_SCREENS =
  /^(?:sm|md|lg|xl|2xl):(?:block|flex|inline|grid|table)|^d-(?:sm|md|lg|xl)-(?!none)/;

export function noHideRules(): HideRules {
  return { ids: new Set(), classes: new Set(), tags: new Set(), tagClasses: new Set() };
}

/** Collects simple selectors that hide elements from a style sheet, ignoring media queries. */
export function addStyleRules(rules: HideRules, css: string): void {
  const plain = withoutAtBlocks(css.replace(/\/\*[\s\S]*?(?:\*\/|$)/g, " "));
  let count = 0;
  for (const block of plain.split("}")) {
    count += 1;
    if (count > STYLE_RULES_MAX) return;
    const [selectors = "", declarations] = block.split("{");
    if (declarations === undefined) continue;
    if (DECLARES_HIDDEN.test(declarations)) forEachSelector(rules, selectors, true);
    else if (DECLARES_SHOWN.test(declarations)) forEachSelector(rules, selectors, false);
  }
}

function forEachSelector(rules: HideRules, selectors: string, hides: boolean): void {
  for (const selector of selectors.split(",")) {
    const match = SIMPLE_SELECTOR.exec(selector.trim());
    if (match === null) continue;
    const [, tag, classTag, className, id] = match;
    if (id !== undefined) change(rules.ids, id, hides);
    else if (className === undefined) change(rules.tags, (tag ?? "").toLowerCase(), hides);
    else if (classTag === undefined) change(rules.classes, className, hides);
    else change(rules.tagClasses, `${classTag.toLowerCase()}.${className}`, hides);
  }
}

function change(set: Set<string>, name: string, hides: boolean): void {
  if (hides) set.add(name);
  else set.delete(name);
}

/** Removes `@media … { … }` and similar blocks with their content. */
function withoutAtBlocks(css: string): string {
  let kept = "";
  let at = 0;
  while (at < css.length) {
    const start = css.indexOf("@", at);
    if (start === -1) return kept + css.slice(at);
    kept += css.slice(at, start);
    at = endOfAtRule(css, start);
  }
  return kept;
}

function endOfAtRule(css: string, start: number): number {
  let depth = 0;
  for (let at = start; at < css.length; at += 1) {
    const character = css[at];
    if (character === "{") depth += 1;
    else if (character === "}") {
      depth -= 1;
      if (depth <= 0) return at + 1;
    } else if (character === ";" && depth === 0) return at + 1;
  }
  return css.length;
}

const TARGET = `(?:getElementById\\(\\s*["']([\\w-]+)["']\\s*\\)|querySelector\\(\\s*["']([.#])([\\w-]+)["']\\s*\\)|\\$\\(\\s*["']([.#])([\\w-]+)["']\\s*\\))`;
const HIDES = `(?:\\.style\\.display\\s*=\\s*["']none["']|\\.style\\.visibility\\s*=\\s*["']hidden["']|\\.hidden\\s*=\\s*(?:true|!0)|\\.remove\\(\\s*\\)|\\.hide\\(\\s*\\))`;
const HIDING_STATEMENT = new RegExp(`${TARGET}${HIDES}`, "g");

/**
 * Collects statements of an inline script that hide elements on load. Code inside functions waits
 * for a click or a timer, so it does not hide text.
 */
export function addScriptRules(rules: HideRules, script: string): void {
  let depth = 0;
  let counted = 0;
  for (const match of script.matchAll(HIDING_STATEMENT)) {
    depth += openedBetween(script, counted, match.index);
    counted = match.index;
    if (depth > 0) continue;
    const [, byId, mark, byQuery, jQueryMark, byJQuery] = match;
    const name = byId ?? byQuery ?? byJQuery ?? "";
    const isClass = byId === undefined && (mark ?? jQueryMark) === ".";
    (isClass ? rules.classes : rules.ids).add(name);
  }
}

/** Opening minus closing braces. */
function openedBetween(script: string, start: number, end: number): number {
  let depth = 0;
  for (let at = start; at < end; at += 1) {
    const code = script.charCodeAt(at);
    if (code === 0x7b) depth += 1;
    else if (code === 0x7d) depth -= 1;
  }
  return depth;
}

/** Whether an element hides itself and its content. */
export function hides(
  rules: HideRules,
  tag: string,
  attributes: ReadonlyMap<string, string>,
): boolean {
  if (attributes.has("hidden")) return true;
  if (tag === "dialog" && !attributes.has("open")) return true;
  if (rules.tags.has(tag)) return true;
  const style = attributes.get("style");
  if (style !== undefined && DECLARES_HIDDEN.test(style)) return true;
  const shownByStyle = style !== undefined && DECLARES_SHOWN.test(style);
  const id = attributes.get("id");
  if (id !== undefined && rules.ids.has(id)) return !shownByStyle;
  const classText = attributes.get("class");
  return classText !== undefined && !shownByStyle && hidesByClass(rules, tag, classText);
}

function hidesByClass(rules: HideRules, tag: string, classText: string): boolean {
  const names = classText.split(/\s+/);
  if (names.some((name) => rules.classes.has(name) || rules.tagClasses.has(`${tag}.${name}`))) {
    return true;
  }
  const isHiding = names.some((name) => HIDING_CLASSES.has(name));
  return isHiding && !names.some((name) => SHOWN_ON_SOME_SCREENS.test(name));
}
