/** Binds over TLS with the trust settings of the environment, and prints the result. */
import { SmppClient } from "../src/index.ts";

const [host = "", port = ""] = process.argv.slice(2);
const client = new SmppClient({
  hosts: [{ host, port: Number(port) }],
  tls: true,
  systemId: "us",
  password: "secret",
  onDelivery: async () => 0,
});
client.start();
while (client.state().state !== "up" && client.state().lastError === null) {
  await new Promise((resolve) => setTimeout(resolve, 10));
}
console.log(client.state().lastError ?? client.state().state);
await client.stop();
