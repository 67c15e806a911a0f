/** What the rules know of a page: plain data, so that it can be made in another thread. */
export interface PageFacts {
  readonly title: string;
  /** What the page calls its website for others (og:site_name); empty when it does not. */
  readonly siteName: string;
  /** The `lang` of the page, in lower case; empty when it names none. */
  readonly lang: string;
  /** What a visitor sees, in reading order; blocks stand on lines of their own. */
  readonly text: string;
  /** The same, character by character, in lower case and without accents: what is searched. */
  readonly folded: string;
  /** Text of the page that nobody sees: hidden by style or script, closed dialogs, noscript. */
  readonly hiddenText: string;
  /** The words of cookie banners: shown, but never about text messages. */
  readonly bannerText: string;
  /** Alternative texts of the images shown. */
  readonly imageText: string;
  readonly links: readonly PageLink[];
  readonly forms: readonly PageForm[];
  readonly fields: readonly PageField[];
  readonly boxes: readonly PageBox[];
  /** Addresses of the frames that the page shows, absolute. */
  readonly frames: readonly string[];
  /** Where a meta refresh leads, absolute. */
  readonly refreshTo: string | null;
  readonly scripts: number;
}

export interface PageLink {
  readonly href: string;
  /** The words of the link; of an image its alternative text. */
  readonly label: string;
}

export interface PageForm {
  /** Where its text stands within the page's text. */
  readonly start: number;
  readonly end: number;
  readonly action: string | null;
}

export interface PageField {
  readonly kind: "phone" | "email" | "password";
  readonly label: string;
  /** The form that it stands in, or -1. */
  readonly form: number;
}

export interface PageBox {
  readonly label: string;
  readonly name: string;
  readonly checked: boolean;
  readonly required: boolean;
  readonly shown: boolean;
  readonly form: number;
}

export const LINKS_MAX = 2_000;
export const FIELDS_MAX = 500;
export const FRAMES_MAX = 20;
/** Hidden text is evidence for one rule only; the beginning of it is enough. */
export const HIDDEN_CHARS_MAX = 100_000;
