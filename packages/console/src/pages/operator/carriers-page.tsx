import { useAct, useRead } from "../../api/queries.ts";
import { Loaded } from "../../reading/loaded.tsx";
import { Button } from "../../ui/button.tsx";
import { Empty } from "../../ui/empty.tsx";
import { formatCount } from "../../ui/format.ts";
import { Card, Facts, Page } from "../../ui/page.tsx";
import { ErrorBox, Note } from "../../ui/problem.tsx";
import { Status } from "../../ui/status.tsx";
import { toast } from "../../ui/toast.tsx";
import { Time } from "../../ui/values.tsx";

const REFRESH_MS = 2_000;

export function CarriersPage() {
  const carriers = useRead(
    ["op-carriers"],
    (api, signal) => api.operator.carriers.list({ limit: 100 }, { signal }),
    {
      everyMs: REFRESH_MS,
    },
  );
  const reload = useAct(
    (_: undefined, { api, idempotencyKey }) => api.operator.carriers.reload({ idempotencyKey }),
    {
      stale: ["op-carriers"],
      onDone: () => toast("The carriers file was read again."),
    },
  );
  return (
    <Page
      title="Carriers"
      about="The links to the networks, in order of priority. Read again every 2 seconds."
      actions={
        <Button icon="retry" busy={reload.isPending} onClick={() => reload.mutate(undefined)}>
          Reload the file
        </Button>
      }
    >
      {/* A file with a mistake changes nothing, and the answer names the place. */}
      {reload.error ? <ErrorBox error={reload.error} /> : null}
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
              <Unserved numbers={unservedOf(page)} />
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
                        { name: "Speaks", value: link.type },
                        {
                          name: "Numbers",
                          value: link.numbers === "*" ? "All" : formatCount(link.numbers.length),
                        },
                        { name: "Priority", value: formatCount(link.priority) },
                        {
                          name: "Window free",
                          value: `${formatCount(link.window_free)} of ${formatCount(link.window_total)}, ${formatCount(link.window)} for each bind`,
                        },
                        {
                          name: "Texts a second",
                          value: link.rate === null ? "No limit" : formatCount(link.rate),
                        },
                        ...link.binds.map((bind, index) => ({
                          name: `Bind ${index + 1}`,
                          value: (
                            <>
                              {bind.state}
                              {bind.since !== null && (
                                <>
                                  {" "}
                                  since <Time at={bind.since} />
                                </>
                              )}
                              {bind.owner !== null && `, kept by ${bind.owner}`},{" "}
                              {formatCount(bind.in_flight)} out
                            </>
                          ),
                        })),
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

/** The list says beside its links which numbers none of them serves. */
function unservedOf(page: object): readonly string[] {
  return (page as { numbers_without_carrier?: string[] }).numbers_without_carrier ?? [];
}

function Unserved({ numbers }: { numbers: readonly string[] }) {
  if (numbers.length === 0) return null;
  return (
    <Note tone="red">
      No carrier serves {numbers.join(", ")}. Their texts wait: add the numbers to the carriers file
      and reload it.
    </Note>
  );
}
