import { LINKS_MAX, type PageFacts } from "../page/facts.ts";
import { joinedLeads } from "./discover.ts";

/** Merges a page with the content of its frames, as visitors see one page. */
export function withFrames(page: PageFacts, frames: readonly PageFacts[]): PageFacts {
  return frames.reduce(joined, page);
}

function joined(page: PageFacts, frame: PageFacts): PageFacts {
  const text = `${page.text}\n`;
  const shift = text.length;
  const formShift = page.forms.length;
  const inForm = (form: number) => (form === -1 ? -1 : form + formShift);
  return {
    ...page,
    text: text + frame.text,
    folded: `${page.folded}\n${frame.folded}`,
    hiddenText: `${page.hiddenText}\n${frame.hiddenText}`,
    imageText: `${page.imageText}\n${frame.imageText}`,
    links: [...page.links, ...frame.links].slice(0, LINKS_MAX),
    forms: [
      ...page.forms,
      ...frame.forms.map((form) => ({ ...form, start: form.start + shift, end: form.end + shift })),
    ],
    fields: [
      ...page.fields,
      ...frame.fields.map((field) => ({ ...field, form: inForm(field.form) })),
    ],
    boxes: [...page.boxes, ...frame.boxes.map((box) => ({ ...box, form: inForm(box.form) }))],
    leads: joinedLeads(page.leads, frame.leads),
  };
}
