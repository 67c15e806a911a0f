import { wireControls } from "./controls.js";
import { el, fill } from "./dom.js";
import { callOf, operationSection } from "./operation-view.js";
import { authentication, errorPart, groupHead, introduction, webhookSection } from "./parts.js";
import { createSchemaView } from "./schema-view.js";
import { createSearch } from "./search.js";
import { createSettings } from "./settings.js";

/** A section takes some milliseconds to make; the pause leaves the reader's own doing its time. */
const IDLE_MS_MIN = 8;
const PAUSE_MS = 100;

/**
 * Builds the page from the document: its sections, the sidebar's groups, and what completes each
 * section that begins as a heading. Made at once, a hundred and seventy of them cost a second.
 */
export function render(openapi, errorPages, settings) {
  const waiting = new Map();
  const begun = ({ element, complete }) => {
    waiting.set(element, complete);
    return element;
  };
  const view = createSchemaView(openapi);
  const calls = Object.entries(openapi.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => callOf(path, method, operation)),
  );
  const groups = [
    {
      title: "Start",
      id: "introduction",
      links: [
        { id: "introduction", text: "Introduction" },
        { id: "authentication", text: "Authentication" },
        { id: "errors", text: "Errors" },
      ],
    },
  ];
  const sections = [
    introduction(openapi),
    authentication(openapi, settings),
    errorPart(errorPages),
  ];
  for (const tag of openapi.tags) {
    const own = calls.filter((call) => call.operation.tags.includes(tag.name));
    if (own.length === 0) continue;
    const id = `group-${tag.name.toLowerCase().replaceAll(/\W+/g, "-")}`;
    groups.push({ title: tag.name, id, links: own.map(linkOf) });
    sections.push(
      groupHead(tag, id),
      ...own.map((call) => begun(operationSection(call, view, settings))),
    );
  }
  const webhooks = Object.entries(openapi.webhooks);
  const about = {
    name: "Event types",
    description: "Body of a webhook: an event as JSON, signed. Answer 2xx within 5 seconds.",
  };
  groups.push({
    title: about.name,
    id: "group-events-received",
    links: webhooks.map(([type, webhook]) => ({
      id: webhook.post.operationId,
      text: type,
      method: "event",
    })),
  });
  sections.push(groupHead(about, "group-events-received"));
  sections.push(...webhooks.map(([type, webhook]) => begun(webhookSection(type, webhook, view))));
  return { sections, groups, waiting };
}

function linkOf(call) {
  const text = call.operation.summary;
  return {
    id: call.id,
    text,
    method: call.method.toLowerCase(),
    words: `${call.path} ${call.sdkMethod}`,
  };
}

/** The groups of the sidebar that match what was typed, then what was found in the guides. */
export function navigation(groups, typed, inGuides = []) {
  const wanted = typed.trim().toLowerCase().split(/\s+/);
  const matches = (group, link) => {
    const words =
      `${group.title} ${link.method ?? ""} ${link.text} ${link.words ?? ""}`.toLowerCase();
    return wanted.every((word) => words.includes(word));
  };
  const found = groups
    .map((group) => ({ ...group, links: group.links.filter((link) => matches(group, link)) }))
    .filter((group) => group.links.length > 0);
  if (found.length + inGuides.length === 0) {
    return [el("p", { class: "nav-none" }, "Nothing matches.")];
  }
  const ofCalls = found.map((group) =>
    el(
      "div",
      { class: "nav-group" },
      el("a", { class: "nav-title", href: `#${group.id}` }, group.title),
      ...group.links.map((link) =>
        el(
          "a",
          { class: "nav-link", href: `#${link.id}`, "data-target": link.id },
          link.method
            ? el("span", { class: `method ${link.method}` }, shortName(link.method))
            : null,
          el("span", {}, link.text),
        ),
      ),
    ),
  );
  return [...ofCalls, ...inGuides];
}

function shortName(method) {
  return method === "delete" ? "del" : method;
}

async function start() {
  const content = document.getElementById("content");
  const nav = document.getElementById("nav");
  const search = document.getElementById("search");
  const read = async (path) => {
    const response = await fetch(path);
    if (!response.ok) throw new Error(`${path} answered ${response.status}`);
    return response.json();
  };
  try {
    const [openapi, errorPages] = await Promise.all([
      read("/v1/openapi.json"),
      read("/docs/errors.json"),
    ]);
    const { sections, groups, waiting } = render(openapi, errorPages, createSettings(openapi));
    fill(content, ...sections);
    const complete = completeWhenNear(waiting);
    const inGuides = createSearch(["guide", "page", "error", "code"]);
    const show = (found = []) => fill(nav, ...navigation(groups, search.value, found));
    show();
    search.addEventListener("input", () => inGuides(search.value, show));
    followScroll(nav);
    const keepAtTop = createKeeper(content);
    const open = () => openTarget(complete, keepAtTop);
    open();
    window.addEventListener("hashchange", open);
  } catch (error) {
    fill(
      content,
      el("p", { class: "loading" }, `The reference could not be loaded: ${error.message}`),
    );
  }
}

/** Completes the sections that the reader comes near to, and the others while nothing else is to do. */
function completeWhenNear(waiting) {
  const complete = (section) => {
    const rest = waiting.get(section);
    waiting.delete(section);
    rest?.();
  };
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) if (isIntersecting) complete(target);
    },
    { rootMargin: "1000px 0px" },
  );
  for (const section of waiting.keys()) observer.observe(section);
  const whileIdle = (deadline) => {
    for (const section of waiting.keys()) {
      if (deadline.timeRemaining() < IDLE_MS_MIN) break;
      complete(section);
    }
    if (waiting.size > 0) setTimeout(() => requestIdleCallback(whileIdle), PAUSE_MS);
  };
  if (typeof requestIdleCallback === "function") requestIdleCallback(whileIdle);
  return complete;
}

/** Goes to what the address names; sections did not exist when the browser first looked. */
function openTarget(complete, keepAtTop) {
  const target = document.getElementById(fragment());
  keepAtTop(null);
  if (!target) return;
  complete(target);
  if (target.tagName === "DETAILS") target.open = true;
  keepAtTop(target);
  document.getElementById("sidebar").classList.remove("open");
}

function fragment() {
  const hash = location.hash.slice(1);
  try {
    return decodeURIComponent(hash);
  } catch {
    return hash;
  }
}

/**
 * Scrolls to a target and keeps it at the top. Sections above it get their real height only when they
 * come near the viewport, which moves the target. A scroll at an unchanged height is the reader's, and ends it.
 */
function createKeeper(content) {
  let target = null;
  let top = 0;
  let height = 0;
  const jump = () => {
    if (!target) return;
    target.scrollIntoView({ block: "start", behavior: "instant" });
    top = target.getBoundingClientRect().top;
    height = content.offsetHeight;
  };
  new ResizeObserver(jump).observe(content);
  window.addEventListener(
    "scroll",
    () => {
      if (!target || content.offsetHeight !== height) return;
      if (Math.abs(target.getBoundingClientRect().top - top) > 1) target = null;
    },
    { passive: true },
  );
  return (wanted) => {
    target = wanted;
    jump();
  };
}

/** Marks the sidebar's link of the section that is being read. */
function followScroll(nav) {
  const mark = (id) => {
    for (const link of nav.querySelectorAll(".nav-link")) {
      const isCurrent = link.getAttribute("data-target") === id;
      if (isCurrent) {
        link.setAttribute("aria-current", "true");
        link.scrollIntoView({ block: "nearest" });
      } else link.removeAttribute("aria-current");
    }
  };
  const observer = new IntersectionObserver(
    (entries) => {
      const seen = entries.find((entry) => entry.isIntersecting);
      if (seen) mark(seen.target.id);
    },
    { rootMargin: "-20% 0px -75% 0px" },
  );
  for (const section of document.querySelectorAll("main > section")) observer.observe(section);
}

if (typeof document !== "undefined" && document.getElementById("content")) {
  wireControls();
  await start();
}
