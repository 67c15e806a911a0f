import { useRead } from "../../api/queries.ts";
import { Loaded } from "../../reading/loaded.tsx";
import { Empty } from "../../ui/empty.tsx";
import { formatCount } from "../../ui/format.ts";
import { Card, Facts, Page } from "../../ui/page.tsx";
import { Note } from "../../ui/problem.tsx";
import { Status } from "../../ui/status.tsx";

const REFRESH_MS = 2_000;

export function CarriersPage() {
  const carriers = useRead(
    ["op-carriers"],
    (api, signal) => api.operator.carriers.list({ limit: 100 }, { signal }),
    {
      everyMs: REFRESH_MS,
    },
  );
  return (
    <Page
      title="Carriers"
      about="The links to the networks, in order of priority. Read again every 2 seconds."
    >
      <Loaded query={carriers}>
        {(page) =>
          page.data.length === 0 ? (
            <div className="list">
              <Empty icon="tower" title="No carrier is configured">
                Name the file of your carriers in LONGWAVE_CARRIERS. Until then live texts wait and
                the sandbox works.
              </Empty>
            </div>
          ) : (
            <div className="halves">
              {page.data.map((link) => (
                <Card
                  key={link.name}
                  title={link.name}
                  aside={<Status machine="carrier" state={link.state} />}
                >
                  <div className="stack">
                    {link.last_error !== null && (
                      <Note tone={link.state === "up" ? "grey" : "red"}>{link.last_error}</Note>
                    )}
                    <Facts
                      facts={[
                        { name: "Window free", value: formatCount(link.window_free) },
                        {
                          name: "Texts a second",
                          value: link.rate === null ? "No limit" : formatCount(link.rate),
                        },
                      ]}
                    />
                  </div>
                </Card>
              ))}
            </div>
          )
        }
      </Loaded>
    </Page>
  );
}
