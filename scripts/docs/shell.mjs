// HTML around a page: the bar, the list of pages in reading order, the search, the table of contents.
import { escaped } from "./pages.mjs";

/** Pages with fewer sections fit on a screen or two. */
const HEADINGS_MIN = 4;

export function pageShell(page, pages) {
  const chapters = [...new Set(pages.map(({ chapter }) => chapter))].filter((one) => one !== null);
  const groups = chapters.map((chapter) =>
    group(
      chapter,
      pages.filter((one) => one.chapter === chapter),
      page,
    ),
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${escaped(page.lead)}">
<title>${escaped(page.title)} · Longwave</title>
<link rel="icon" href="data:,">
<link rel="alternate" type="text/markdown" href="/docs/${page.name}.md">
<link rel="stylesheet" href="/docs/reference.css">
<link rel="stylesheet" href="/docs/guide.css">
<script type="module" src="/docs/guide.js"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="bar">
  <button id="menu" class="icon-button" type="button" aria-label="Show the list of pages" aria-expanded="false" aria-controls="sidebar">☰</button>
  <a class="brand" href="/docs"><span class="brand-mark" aria-hidden="true"></span>Longwave <span class="brand-sub">guides</span></a>
  <div class="bar-right">
    <a class="bar-link" href="/docs">API reference</a>
    <a class="bar-link" href="/">Console</a>
    <button id="theme" class="icon-button" type="button" aria-label="Change between light and dark">◐</button>
  </div>
</header>
<nav id="sidebar" class="sidebar" aria-label="Pages">
  <input id="search" class="search" type="search" placeholder="Search  /" aria-label="Search everything" autocomplete="off" spellcheck="false">
  <div id="nav">
${groups.join("\n")}
  </div>
</nav>
<main id="content" class="content guide" tabindex="-1">
${contents(page)}${page.html}<p class="guide-foot"><a href="/docs/${page.name}.md">This page as Markdown</a></p>
</main>
</body>
</html>
`;
}

/** Table of contents of a page with several sections. */
function contents({ sections }) {
  const headings = sections.filter(({ heading, depth }) => heading !== "" && depth === 2);
  if (headings.length < HEADINGS_MIN) return "";
  const links = headings.map(
    ({ heading, anchor }) => `<li><a href="#${anchor}">${escaped(heading)}</a></li>`,
  );
  return `<nav class="toc" aria-label="On this page"><span class="nav-title">On this page</span><ul>${links.join("")}</ul></nav>\n`;
}

function group(title, pages, current) {
  const links = pages.map(({ name, title: text }) => {
    const mark = name === current.name ? ' aria-current="page"' : "";
    return `<a class="nav-link" href="/docs/${name}"${mark}><span>${escaped(text)}</span></a>`;
  });
  return `<div class="nav-group"><span class="nav-title">${title}</span>${links.join("")}</div>`;
}
