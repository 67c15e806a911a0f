import type { Sample } from "../../ui/code.tsx";

interface Wanted {
  readonly from: string;
  readonly to: string;
  readonly body: string;
}

/** A call that works as pasted, once the key is in it. */
export function sendSample(wanted: Wanted): Sample {
  return { title: "cURL", text: curl("/v1/messages", wanted) };
}

export function sendSamples(wanted: Wanted): readonly Sample[] {
  return [
    sendSample(wanted),
    {
      title: "TypeScript",
      text: [
        'import { Longwave } from "@longwave/sdk";',
        "",
        "const longwave = new Longwave({ apiKey: process.env.LONGWAVE_KEY });",
        `const message = await longwave.messages.send(${JSON.stringify(wanted, null, 2)});`,
      ].join("\n"),
    },
  ];
}

export function curl(path: string, body: unknown): string {
  const json = JSON.stringify(body).replaceAll("'", String.raw`'\''`);
  return [
    `curl ${location.origin}${path} \\`,
    '  -H "Authorization: Bearer $LONGWAVE_KEY" \\',
    '  -H "Content-Type: application/json" \\',
    `  -d '${json}'`,
  ].join("\n");
}
