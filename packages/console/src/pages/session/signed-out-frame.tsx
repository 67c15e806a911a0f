import { type ReactNode, useEffect } from "react";
import { Mark } from "../../shell/mark.tsx";

/** The pages in front of the console: one form each. */
export function Door(props: { title: string; about?: ReactNode; children: ReactNode }) {
  useEffect(() => {
    document.title = `${props.title} · Longwave`;
  }, [props.title]);
  return (
    <main className="door">
      <div className="door-card">
        <div className="door-brand">
          <Mark />
          Longwave
        </div>
        <section className="card card-body stack">
          <div>
            <h1>{props.title}</h1>
            {props.about && <p className="muted">{props.about}</p>}
          </div>
          {props.children}
        </section>
      </div>
    </main>
  );
}
