import { defineBench } from "./define.ts";

const CONNECTIONS = 64;
const BODIES = 500;

/** Texts to numbers that are all different, as those of real traffic are. */
function bodies(from: string): string[] {
  return Array.from({ length: BODIES }, (_, index) =>
    JSON.stringify({ to: `+1415555${2_000 + index}`, from, body: "Your table is ready." }),
  );
}

/** A durable text against a bare answer of the same size: one commit in sandbox, two live. */
export const bench = defineBench({
  title: "Sending a text",
  async rows(stage) {
    const server = await stage.server({ LOG_LEVEL: "error" });
    const key = { authorization: `Bearer ${server.testKey}` };
    const url = `${server.url}/v1/messages`;
    const texts = bodies("+15005550100");
    const first = await fetch(url, {
      method: "POST",
      headers: { ...key, "content-type": "application/json" },
      body: texts[0] ?? "",
    });
    if (first.status !== 201) throw new Error(`${first.status} ${await first.text()}`);
    const bare = await stage.bareFastify({
      method: "POST",
      path: "/messages",
      schema: {},
      body: await first.json(),
    });
    const other = stage.load({
      name: "bare Fastify, same body",
      url: `${bare}/messages`,
      method: "POST",
      bodies: texts,
      connections: CONNECTIONS,
    });
    return [
      {
        ours: stage.load({
          name: "POST /v1/messages, sandbox",
          url,
          method: "POST",
          headers: key,
          bodies: texts,
          connections: CONNECTIONS,
          statuses: [201],
        }),
        other,
        floor: 0.5,
        p99MsMax: 60,
      },
    ];
  },
});
