/** Websites for benchmarks of checks: a compliant one, one that hangs, and one with pages of 1 MiB. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { DENTIST } from "../packages/server/testing/sites/businesses.ts";
import { compliantSite } from "../packages/server/testing/sites/template.ts";

const MIB = 1024 * 1024;
const files = compliantSite(DENTIST);

/** The page, extended by paragraphs to the maximum size. */
function large(html: string): string {
  const paragraph = '<p class="a">Read <a href="/more">more</a> about our opening hours.</p>\n';
  const count = Math.floor((MIB - html.length - 1_024) / paragraph.length);
  return html.replace("</body>", `${paragraph.repeat(count)}</body>`);
}

const server = createServer((request, response) => {
  const path = new URL(request.url ?? "/", "http://site").pathname;
  if (path.startsWith("/hang")) return;
  const isLarge = path.startsWith("/large");
  const name = path.replace(/^\/(?:large\/?)?/, "");
  const html = files[name === "" ? "index.html" : name];
  response.writeHead(html === undefined ? 404 : 200, { "content-type": "text/html" });
  response.end(html === undefined ? "" : isLarge ? large(String(html)) : html);
});
server.listen(0, "127.0.0.1", () => console.log(`ready ${(server.address() as AddressInfo).port}`));
