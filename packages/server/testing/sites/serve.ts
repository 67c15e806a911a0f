import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import type { Business } from "./template.ts";
import { compliantSite, type SiteFiles } from "./template.ts";

/** A website on the loopback interface, reachable by a server whose `LONGWAVE_ALLOW_TARGETS` names it. */
export interface ServedSite {
  readonly url: string;
  readonly target: string;
  /** Number of page requests. */
  readonly requests: () => number;
  /** Replaces the served files. */
  show(files: SiteFiles): void;
  close(): Promise<void>;
}

export async function serveSite(business: Business): Promise<ServedSite> {
  let files: SiteFiles = compliantSite(business);
  let requests = 0;
  const served = await serveListener((request, response) => {
    requests += 1;
    const path = new URL(request.url ?? "/", "http://site").pathname;
    const html = files[path === "/" ? "index.html" : path.slice(1)];
    response.writeHead(html === undefined ? 404 : 200, {
      "content-type": "text/html; charset=utf-8",
    });
    response.end(html ?? "<title>404</title>");
  });
  return {
    ...served,
    requests: () => requests,
    show: (next) => {
      files = next;
    },
  };
}

/** Starts a server on the loopback interface. */
export async function serveListener(
  listener: RequestListener,
): Promise<{ url: string; target: string; close(): Promise<void> }> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // Unreferenced, because a test file may leave it open at its end.
  server.unref();
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    target: `127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
