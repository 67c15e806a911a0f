/** Minimal DOM for the reference page, without a way to write HTML. */

type Child = FakeElement | string;

export class FakeElement {
  readonly tagName: string;
  readonly attributes = new Map<string, string>();
  readonly listeners = new Map<string, (event: unknown) => unknown>();
  children: Child[] = [];
  open: boolean = false;
  value = "";

  constructor(tag: string) {
    this.tagName = tag.toUpperCase();
  }

  setAttribute(name: string, value: string): void {
    this.attributes.set(name, value);
    if (name === "value") this.value = value;
  }

  getAttribute(name: string): string | null {
    return this.attributes.get(name) ?? null;
  }

  addEventListener(name: string, listener: (event: unknown) => unknown): void {
    this.listeners.set(name, listener);
  }

  append(...children: Child[]): void {
    for (const child of children) {
      if (typeof child !== "string" && !(child instanceof FakeElement)) {
        throw new TypeError(`${this.tagName} was given ${typeof child} as a child.`);
      }
    }
    this.children.push(...children);
  }

  replaceChildren(...children: Child[]): void {
    this.children = [];
    this.append(...children);
  }

  get textContent(): string {
    return this.children
      .map((child) => (typeof child === "string" ? child : child.textContent))
      .join("");
  }

  /** This element and all elements below it. */
  *all(): Generator<FakeElement> {
    yield this;
    for (const child of this.children) {
      if (child instanceof FakeElement) yield* child.all();
    }
  }

  find(tag: string, className?: string): FakeElement[] {
    return [...this.all()].filter(
      (element) =>
        element.tagName === tag.toUpperCase() &&
        (className === undefined ||
          (element.getAttribute("class") ?? "").split(" ").includes(className)),
    );
  }

  set innerHTML(_: string) {
    throw new Error("The reference page must not write HTML.");
  }
}

/** Installs the DOM as globals, where the page's modules look for it. */
export function installFakeDom(): void {
  const stored = new Map<string, string>();
  const storage = {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, value: string) => void stored.set(name, value),
  };
  Object.assign(globalThis, {
    document: {
      createElement: (tag: string) => new FakeElement(tag),
      getElementById: () => null,
    },
    location: { origin: "http://127.0.0.1:7670" },
    localStorage: storage,
    sessionStorage: storage,
  });
}
