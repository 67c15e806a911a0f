// Runs before the program: sets theme and density before the first paint and asks for the session
// while the pages still load. A separate file, because the page's policy allows no inline script.
(() => {
  let wanted = null;
  try {
    wanted = localStorage.getItem("longwave.theme");
    document.documentElement.dataset.density = localStorage.getItem("longwave.density") ?? "roomy";
  } catch {
    // Storage can be forbidden; the system's theme applies then.
  }
  const isDark =
    wanted === "dark" || (wanted !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset.theme = isDark ? "dark" : "light";
  const headers = { accept: "application/json", "longwave-console": "1" };
  // `null` on failure: the reader of this promise asks again.
  globalThis.longwaveSession = fetch("/console/v1/session", { headers, redirect: "error" }).catch(
    () => null,
  );
  // Preloads the first page of an account together with the program.
  if (!/^\/acct_[^/]+\/(?:test|live)\/?$/.test(location.pathname)) return;
  const named = document.querySelector('meta[name="longwave-home"]');
  for (const href of named?.content.split(" ") ?? []) {
    const link = document.createElement("link");
    Object.assign(link, { rel: "modulepreload", href });
    document.head.append(link);
  }
})();
