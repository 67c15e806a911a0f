import { getDomain } from "tldts";
import type { WebsiteRule } from "./site-view.ts";
import { domainOf } from "./website-rules.ts";

/** Checks of the brand's own fields; absent fields are skipped. */
export const BRAND_RULES: readonly WebsiteRule[] = [
  {
    code: "brand.email_free",
    evaluate: ({ subject: { brand } }) => {
      const domain = mailDomain(brand.contactEmail);
      if (domain === null) return null;
      const isFree = FREE_MAIL.has(domain);
      return {
        holds: !isFree,
        detail: isFree
          ? `${domain} is a free mail service.`
          : `${domain} is no known free mail service.`,
      };
    },
  },
  {
    code: "brand.email_domain",
    evaluate: ({ subject: { brand, website } }) => {
      const domain = mailDomain(brand.contactEmail);
      if (domain === null || FREE_MAIL.has(domain)) return null;
      const site = domainOf(website);
      return {
        holds: domain === site,
        detail: `The contact address is on ${domain}, the website on ${site}.`,
      };
    },
  },
  {
    code: "brand.po_box",
    evaluate: ({ subject: { brand } }) => {
      if (brand.street === undefined) return null;
      const isBox = /\bp\.? ?o\.? ?box\b|\bpost office box\b|\bapartado\b|\bboite postale\b/i.test(
        brand.street,
      );
      return { holds: !isBox, detail: `The street is “${brand.street.slice(0, 100)}”.` };
    },
  },
  {
    code: "brand.ein_format",
    evaluate: ({ subject: { brand } }) => {
      if (brand.ein === undefined) return null;
      const digits = brand.ein.replace(/[\s-]/g, "");
      const holds = /^\d{9}$/.test(digits) && !/^(\d)\1{8}$/.test(digits);
      return { holds, detail: holds ? "The EIN has nine digits." : "The EIN is not nine digits." };
    },
  },
];

const FREE_MAIL = new Set(
  (
    "gmail.com googlemail.com yahoo.com ymail.com hotmail.com outlook.com live.com msn.com aol.com icloud.com me.com " +
    "proton.me protonmail.com gmx.com mail.com zoho.com yandex.com"
  ).split(" "),
);

function mailDomain(address: string | undefined): string | null {
  const host = address?.split("@").at(1)?.toLowerCase();
  return host === undefined || host === "" ? null : (getDomain(host) ?? host);
}
