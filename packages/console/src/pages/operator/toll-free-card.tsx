import type { OperatorRegistration } from "@longwave/sdk";
import { Card, Facts } from "../../ui/page.tsx";
import { TOLL_FREE_WORDS } from "../registrations/toll-free-words.ts";

/** Data of a toll-free verification, as its customer gave it. */
export function TollFreeCard(props: { given: OperatorRegistration["toll_free"] }) {
  const { given } = props;
  if (given === null) return null;
  const pictures = given.opt_in_image_urls ?? [];
  return (
    <Card title="Toll-free verification">
      <Facts
        facts={[
          ...TOLL_FREE_WORDS.map(([name, label]) => ({
            name: label,
            value: String(given[name] ?? "–"),
          })),
          { name: "Messages a month", value: given.monthly_volume ?? "–" },
          {
            name: "Pictures of the opt-in",
            value:
              pictures.length === 0 ? (
                "–"
              ) : (
                <ul className="stack">
                  {pictures.map((url) => (
                    <li key={url} className="wrap-anywhere">
                      {url}
                    </li>
                  ))}
                </ul>
              ),
          },
        ]}
      />
    </Card>
  );
}
