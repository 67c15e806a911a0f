/** Facts that the rules read from a page: plain data, which can cross threads. */
export interface PageFacts {
  readonly title: string;
  /** The site's own name (og:site_name); empty when absent. */
  readonly siteName: string;
  /** The page's `lang`, in lower case; empty when absent. */
  readonly lang: string;
  /** Visible text in reading order; blocks are lines of their own. */
  readonly text: string;
  /** `text` folded character by character to lower case without accents, for searching. */
  readonly folded: string;
  /** Invisible text: hidden by style or script, closed dialogs, noscript. */
  readonly hiddenText: string;
  /** Words of cookie banners: visible, but never about text messages. */
  readonly bannerText: string;
  /** Alternative texts of visible images. */
  readonly imageText: string;
  readonly links: readonly PageLink[];
  readonly forms: readonly PageForm[];
  readonly fields: readonly PageField[];
  readonly boxes: readonly PageBox[];
  /** Absolute URLs of visible frames. */
  readonly frames: readonly string[];
  /** Absolute target of a meta refresh. */
  readonly refreshTo: string | null;
  readonly scripts: number;
  readonly leads: PageLeads;
}

/** Links and kind of a page, classified by its words in the parser thread. */
export interface PageLeads {
  /** `best` is not about cookies or choices; `any` is the first privacy link. */
  readonly privacy: { readonly best: string | null; readonly any: string | null };
  /** Terms of text messages, and terms of any kind. */
  readonly terms: { readonly ofTexts: string | null; readonly any: string | null };
  /** Page that calls itself the sign-up for text messages. */
  readonly optIn: string | null;
  /** Pages likely to ask for a phone number, at most FORM_LEADS_MAX. */
  readonly forms: readonly string[];
  /** First mail address in the text. */
  readonly mail: string | null;
  readonly isNotFound: boolean;
  /** Whether the page opens like a policy. */
  readonly readsLike: { readonly privacy: boolean; readonly terms: boolean };
}

export interface PageLink {
  readonly href: string;
  /** Words of the link; for an image its alternative text. */
  readonly label: string;
}

export interface PageForm {
  /** Range of the link's words within the page's text. */
  readonly start: number;
  readonly end: number;
  readonly action: string | null;
}

export interface PageField {
  readonly kind: "phone" | "email" | "password";
  readonly label: string;
  /** Index of the enclosing form, or -1. */
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
export const FORM_LEADS_MAX = 3;
/** Longer than any policy; the rest of a page is not read. */
export const TEXT_CHARS_MAX = 500_000;
export const FIELDS_MAX = 500;
export const FRAMES_MAX = 20;
/** Hidden text is evidence for one rule only, so its beginning is enough. */
export const HIDDEN_CHARS_MAX = 100_000;
