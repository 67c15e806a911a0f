import type { Lookup } from "@longwave/sdk";
import { type FormEvent, useState } from "react";
import { useHasRole } from "../../api/account.tsx";
import { useRead } from "../../api/queries.ts";
import { Loaded } from "../../lists/loaded.tsx";
import { Button } from "../../ui/button.tsx";
import { Empty } from "../../ui/empty.tsx";
import { TextField } from "../../ui/field.tsx";
import { formatDistance } from "../../ui/format.ts";
import type { Tone } from "../../ui/looks.ts";
import { Card, Facts, Page } from "../../ui/page.tsx";
import { RoleNeeded } from "../../ui/role-needed.tsx";
import { useFilters } from "../../ui/search-params.ts";
import { Badge } from "../../ui/status.tsx";
import { Phone } from "../../ui/values.tsx";

/** Looks up a phone's carrier, line type and consent before a first message. */
export function LookupPage() {
  const mayLook = useHasRole("member");
  const [search, set] = useFilters();
  const phone = search["phone"] ?? "";
  return (
    <Page
      title="Lookup"
      about="A number's line type and carrier. What no source has reported shows as unknown."
      narrow
    >
      {mayLook ? (
        <div className="stack-wide">
          <Ask key={phone} phone={phone} onAsk={(phone) => set({ phone: phone || undefined })} />
          {phone === "" ? (
            <div className="list">
              <Empty icon="search" title="Look up a number">
                Landlines do not get texts. Look before you send to many.
              </Empty>
            </div>
          ) : (
            <Found phone={phone} />
          )}
        </div>
      ) : (
        <RoleNeeded needed="member" what="number lookup" />
      )}
    </Page>
  );
}

function Ask(props: { phone: string; onAsk: (phone: string) => void }) {
  const [text, setText] = useState(props.phone);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    props.onAsk(text.trim());
  };
  return (
    <form className="card card-body row-end" onSubmit={submit}>
      <div className="grow">
        <TextField
          label="Phone number"
          type="tel"
          required
          placeholder="(415) 555-0123"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </div>
      <Button kind="primary" type="submit" icon="search">
        Look up
      </Button>
    </form>
  );
}

const LINES: Readonly<Record<Lookup["line_type"], { word: string; tone: Tone }>> = {
  mobile: { word: "Mobile", tone: "green" },
  landline: { word: "Landline", tone: "red" },
  voip: { word: "Internet phone (VoIP)", tone: "blue" },
  toll_free: { word: "Toll-free", tone: "blue" },
  unknown: { word: "Unknown", tone: "grey" },
};

function Found(props: { phone: string }) {
  const found = useRead(["lookup", props.phone], (api, signal) =>
    api.lookup.get(props.phone, { signal }),
  );
  return (
    <Loaded query={found}>
      {(value) => (
        <Card title={value.national_format}>
          <Facts
            facts={[
              { name: "Number", value: <Phone value={value.phone_number} /> },
              { name: "Line", value: <Badge {...LINES[value.line_type]} /> },
              { name: "Texts", value: textsOf(value) },
              { name: "Carrier", value: value.carrier?.name ?? "Unknown" },
              { name: "Ported", value: portedOf(value.ported) },
              { name: "Country", value: value.country ?? "Unknown" },
              { name: "Source", value: sourceOf(value) },
            ]}
          />
        </Card>
      )}
    </Loaded>
  );
}

function textsOf({ valid, textable, line_type: line }: Lookup): string {
  if (!valid) return "No number like this exists";
  if (line === "landline") return "Do not arrive on a landline";
  return textable ? "Can be sent to it" : "Are not sent to it by this service";
}

function portedOf(ported: boolean | null): string {
  if (ported === null) return "Unknown";
  return ported ? "Yes, from another carrier" : "No";
}

const SOURCES: Readonly<Record<string, string>> = {
  sandbox: "The sandbox, for its test numbers",
  numbering_plan: "Numbering plan",
  numbering_data: "The data that the operator has loaded",
};

function sourceOf({ source, age_seconds: age }: Lookup): string {
  const sourceName = SOURCES[source] ?? source;
  return age === 0
    ? `${sourceName}, just now`
    : `${sourceName}, ${formatDistance(age * 1_000)} ago`;
}
