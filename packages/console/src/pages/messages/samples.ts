import type { Sample } from "../../ui/code.tsx";

interface SampleMessage {
  readonly from: string;
  readonly to: string;
  readonly body: string;
}

/** A send request that works as pasted, once the key is filled in. */
export function sendSample(message: SampleMessage): Sample {
  return { title: "cURL", text: curl("/v1/messages", message) };
}

export function sendSamples(message: SampleMessage): readonly Sample[] {
  return [
    sendSample(message),
    {
      title: "TypeScript",
      text: [
        'import { Longwave } from "@longwave/sdk";',
        "",
        "const longwave = new Longwave({ apiKey: process.env.LONGWAVE_KEY });",
        `const message = await longwave.messages.send(${JSON.stringify(message, null, 2)});`,
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
