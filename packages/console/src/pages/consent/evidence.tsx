import type { ConsentEntry } from "@longwave/sdk";
import { type Fact, Facts } from "../../ui/page.tsx";
import { Time } from "../../ui/values.tsx";
import { BASIS_WORDS } from "./words.ts";

/** Circumstances of an opt-in: what the person saw, where and when. Nothing where none is known. */
export function Evidence(props: { entry: ConsentEntry }) {
  const { basis, expires_at, evidence } = props.entry;
  const facts: Fact[] = [];
  const add = (name: string, value: Fact["value"] | null | undefined) => {
    if (value) facts.push({ name, value });
  };
  if (basis !== null && basis !== "express") add("Basis", BASIS_WORDS[basis]);
  add("Ends", expires_at && <Time at={expires_at} />);
  add("Words shown", evidence?.disclosure && <q>{evidence.disclosure}</q>);
  add("Page", evidence?.page_url && <span className="mono">{evidence.page_url}</span>);
  add("Given at", evidence?.collected_at && <Time at={evidence.collected_at} />);
  add("IP address", evidence?.ip && <span className="mono">{evidence.ip}</span>);
  add("Browser", evidence?.user_agent);
  add("Form version", evidence?.form_version);
  return facts.length === 0 ? null : <Facts facts={facts} />;
}
