// npm run test:peers: runs our SMPP against independent implementations. They come from Debian and not from npm; when
// they are missing, this prints the command that installs them.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { ensureInstalled, root } from "./install.mjs";
import { runChild } from "./steps.mjs";

const PEERS = [
  {
    command: ["perl", "-MNet::SMPP", "-e", "1"],
    debian: "libnet-smpp-perl",
    file: "net-smpp.peer.ts",
  },
  { command: ["bearerbox", "--version"], debian: "kannel", file: "kannel.peer.ts" },
  { command: ["tshark", "--version"], debian: "tshark", file: "tshark.peer.ts" },
];

const missing = PEERS.filter(({ command: [name, ...args] }) => {
  const { error, status } = spawnSync(name, args, { stdio: "ignore" });
  return error !== undefined || status !== 0;
});
if (missing.length > 0) {
  const packages = missing.map((peer) => peer.debian).join(" ");
  console.error(
    `These peers are missing. Install them: apt-get install --no-install-recommends ${packages}`,
  );
  process.exit(2);
}
await ensureInstalled();
const files = PEERS.map((peer) => join("packages/smpp/test/peers", peer.file));
const args = ["--import", "tsx", "--conditions=@longwave/source", "--test", ...files];
process.exit(await runChild(process.execPath, args, { cwd: root }));
