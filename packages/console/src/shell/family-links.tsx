import { Link, useLocation } from "@tanstack/react-router";
import { familyAt, type NavGroup } from "./navigation.ts";

/** Links to the pages of the same subject, such as segments beside contacts. */
export function FamilyLinks(props: { base: string; groups: readonly NavGroup[] }) {
  const { base, groups } = props;
  const { pathname } = useLocation();
  const family = familyAt(groups, pathname.slice(base.length + 1))?.family;
  if (!family) return null;
  return (
    <nav className="tabs family" aria-label="Pages of this subject">
      {family.map((each) => (
        <Link
          key={each.path}
          to={`${base}/${each.path}`}
          search={{}}
          activeOptions={{ includeSearch: false }}
        >
          {each.label}
        </Link>
      ))}
    </nav>
  );
}
