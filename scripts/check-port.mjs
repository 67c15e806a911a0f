// Refuses a taken port before anything is installed or built. The server itself checks all settings.
import { once } from "node:events";
import { createServer } from "node:net";

const port = Number(process.env["PORT"] || 7670);
const host = process.env["HOST"] || "127.0.0.1";

if (Number.isInteger(port) && port > 0 && port < 65_536) {
  const probe = createServer();
  probe.listen(port, host);
  try {
    await once(probe, "listening");
    probe.close();
    await once(probe, "close");
  } catch (error) {
    if (error.code === "EADDRINUSE") {
      console.error(
        `PORT ${port} is taken on ${host}, maybe by a Longwave that runs already: stop that program, or set PORT to a free port.`,
      );
      process.exit(1);
    }
  }
}
