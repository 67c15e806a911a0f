// Functions that browser tests run inside a page; `addInitScript` brings them there.

function parseColour(css) {
  const [red = 0, green = 0, blue = 0, alpha = 1] = (css.match(/[\d.]+/g) ?? []).map(Number);
  return { red, green, blue, alpha };
}

function mixed(top, below) {
  const mix = (part) => top[part] * top.alpha + below[part] * (1 - top.alpha);
  return { red: mix("red"), green: mix("green"), blue: mix("blue"), alpha: 1 };
}

/** Background colour of an element's text, through transparent layers. */
function backgroundOf(element) {
  if (!element) return parseColour("255 255 255");
  const own = parseColour(getComputedStyle(element).backgroundColor);
  return own.alpha === 1 ? own : mixed(own, backgroundOf(element.parentElement));
}

/** Relative luminance as WCAG defines it. */
function luminance({ red, green, blue }) {
  const linear = (value) =>
    value <= 10.31 ? value / 3294.6 : ((value / 255 + 0.055) / 1.055) ** 2.4;
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

/** Work for idle time waits for `beIdle`: a busy machine may never grant any. */
const waiting = [];
let isIdle = false;
const runIdle = (work) => setTimeout(() => work({ didTimeout: false, timeRemaining: () => 50 }));
globalThis.requestIdleCallback = (work) => (isIdle ? runIdle(work) : waiting.push(work));

globalThis.inPage = {
  /** Distinct kinds of text below `selector`, with their contrast ratios. */
  contrasts(selector) {
    const found = new Map();
    for (const root of document.querySelectorAll(selector)) {
      const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
      while (texts.nextNode()) {
        const element = texts.currentNode.parentElement;
        const sample = texts.currentNode.textContent.trim();
        if (sample === "") continue;
        const background = backgroundOf(element);
        const text = mixed(parseColour(getComputedStyle(element).color), background);
        const [low, high] = [luminance(text), luminance(background)].sort((a, b) => a - b);
        const ratio = (high + 0.05) / (low + 0.05);
        const kind = `${element.tagName.toLowerCase()}.${element.className}`;
        found.set(`${kind} ${ratio}`, { kind, sample, ratio });
      }
    }
    return [...found.values()];
  },

  /** Distance of an element from the top of the viewport, once two readings agree. */
  async settledTop(id) {
    const topNow = () => document.getElementById(id).getBoundingClientRect().top;
    // Two frames: observers run after layout and may cause another layout.
    const frames = () =>
      new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    for (let last = topNow(); ; last = topNow()) {
      await frames();
      if (topNow() === last) return last;
    }
  },

  /** Runs the work that waits for idle time, and runs later work at once. */
  beIdle() {
    isIdle = true;
    for (const work of waiting.splice(0)) runIdle(work);
  },
};
