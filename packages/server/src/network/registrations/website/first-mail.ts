/** Characters allowed before and after the @. */
const LOCAL_PART = /[\w.+-]/;
const DOMAIN_PART = /[\w.-]/;
const LOCAL_CHARS_MAX = 64;
const DOMAIN_CHARS_MAX = 253;
const MAIL = /^[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}$/;

/** The first mail address of a text. Looks only around each @, so it runs in linear time. */
export function firstMail(text: string): string | null {
  for (let at = text.indexOf("@"); at !== -1; at = text.indexOf("@", at + 1)) {
    let start = at;
    while (
      start > 0 &&
      at - start < LOCAL_CHARS_MAX &&
      LOCAL_PART.test(text[start - 1] as string)
    ) {
      start -= 1;
    }
    let end = at + 1;
    while (
      end < text.length &&
      end - at <= DOMAIN_CHARS_MAX &&
      DOMAIN_PART.test(text[end] as string)
    ) {
      end += 1;
    }
    const found = text
      .slice(start, end)
      .replace(/^[.+-]+/, "")
      .replace(/[.-]+$/, "");
    if (MAIL.test(found)) return found;
  }
  return null;
}
