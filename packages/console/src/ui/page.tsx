import { Link } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef } from "react";
import { remember } from "../recent.ts";
import { Icon } from "./icons.tsx";
import { usePane } from "./pane.tsx";
import { setPageTitle } from "./tab-title.ts";

export interface Crumb {
  readonly to: string;
  readonly label: string;
  readonly search?: Readonly<Record<string, string>>;
}

/** Page frame: title in the tab and at the top, description, actions. */
export function Page(props: {
  title: string;
  heading?: ReactNode;
  about?: ReactNode;
  crumb?: Crumb;
  actions?: ReactNode;
  narrow?: boolean;
  children: ReactNode;
}) {
  const { title } = props;
  const isPane = usePane() !== null;
  useEffect(() => {
    if (!isPane) setPageTitle(title);
  }, [title, isPane]);
  const heading = useRef<HTMLHeadingElement>(null);
  const isThing = props.crumb !== undefined && !isPane;
  useEffect(() => {
    // The title may arrive with a later render.
    if (isThing) remember(location.pathname, heading.current?.textContent?.trim() ?? "");
  });
  if (isPane) {
    return (
      <div className="stack">
        <div className="pane-title">
          <h2>{props.heading ?? title}</h2>
          {props.actions && <div className="row">{props.actions}</div>}
        </div>
        {props.children}
      </div>
    );
  }
  return (
    <div className="page" data-width={props.narrow ? "narrow" : undefined}>
      <div className="page-head">
        <div className="grow">
          {props.crumb && (
            <nav className="crumbs" aria-label="Breadcrumb">
              <Link to={props.crumb.to} search={props.crumb.search ?? {}}>
                {props.crumb.label}
              </Link>
              <Icon name="chevron" size={13} />
            </nav>
          )}
          <h1 ref={heading}>{props.heading ?? title}</h1>
          {props.about && <p>{props.about}</p>}
        </div>
        {props.actions && <div className="page-actions">{props.actions}</div>}
      </div>
      {props.children}
    </div>
  );
}

export function Card(props: {
  title?: ReactNode;
  aside?: ReactNode;
  foot?: ReactNode;
  flush?: boolean;
  children: ReactNode;
}) {
  return (
    <section className="card">
      {(props.title || props.aside) && (
        <div className="card-head">
          {typeof props.title === "string" ? <h2>{props.title}</h2> : props.title}
          {props.aside}
        </div>
      )}
      <div className={props.flush ? undefined : "card-body"}>{props.children}</div>
      {props.foot && <div className="card-foot">{props.foot}</div>}
    </section>
  );
}

export interface Fact {
  readonly name: string;
  readonly value: ReactNode;
}

/** Names and values; null entries are skipped. */
export function Facts(props: { facts: readonly (Fact | null)[] }) {
  return (
    <dl className="facts">
      {props.facts
        .filter((fact) => fact !== null)
        .map((fact) => (
          <FactRow key={fact.name} {...fact} />
        ))}
    </dl>
  );
}

function FactRow(props: Fact) {
  return (
    <>
      <dt>{props.name}</dt>
      <dd>{props.value}</dd>
    </>
  );
}
