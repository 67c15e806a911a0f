import { type ReactNode, useEffect } from "react";
import { Mark } from "../../shell/mark.tsx";

/** Frame of the signed-out pages, each with one form. */
export function SignedOutFrame(props: { title: string; about?: ReactNode; children: ReactNode }) {
  useEffect(() => {
    document.title = `${props.title} · Longwave`;
  }, [props.title]);
  return (
    <main className="signed-out">
      <div className="signed-out-card">
        <div className="signed-out-brand">
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
