import type { ReactNode } from "react";

/**
 * Line icons on a grid of 24, in the style of Tabler's. Decorative: a label always stands beside
 * them.
 */
const PATHS = {
  home: <path d="M4 11l8-7 8 7v8a1 1 0 0 1-1 1h-4v-6H9v6H5a1 1 0 0 1-1-1z" />,
  phone: (
    <path d="M8 3h8a1 1 0 0 1 1 1v16a1 1 0 0 1-1 1H8a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1zM11 18h2" />
  ),
  message: (
    <path d="M4 6a2 2 0 0 1 2-2h12a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2h-6l-5 4v-4H6a2 2 0 0 1-2-2zM8 8.5h8M8 12h5" />
  ),
  chats: (
    <path d="M20 15l-3-3h-6a1 1 0 0 1-1-1V5a1 1 0 0 1 1-1h8a1 1 0 0 1 1 1zM14 15v2a1 1 0 0 1-1 1H7l-3 3V11a1 1 0 0 1 1-1h2" />
  ),
  batch: <path d="M12 4l8 4-8 4-8-4zM4 12l8 4 8-4M4 16l8 4 8-4" />,
  clock: <path d="M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 7v5l3 2" />,
  calendar: (
    <path d="M5 5h14a1 1 0 0 1 1 1v13a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1V6a1 1 0 0 1 1-1zM8 3v4M16 3v4M4 10h16" />
  ),
  shield: <path d="M12 3l7 3v5c0 5-3 8-7 10-4-2-7-5-7-10V6zM9 12l2 2 4-4" />,
  hash: <path d="M5 9h14M5 15h14M10 4L8 20M16 4l-2 16" />,
  pool: (
    <path d="M6 5.5a2.5 2.5 0 1 1 0 5 2.5 2.5 0 0 1 0-5zM18 5.5a2.5 2.5 0 1 1 0 5 2.5 2.5 0 0 1 0-5zM12 14a2.5 2.5 0 1 1 0 5 2.5 2.5 0 0 1 0-5zM7.5 10l3 4.5M16.5 10l-3 4.5" />
  ),
  users: (
    <path d="M9 4a3.5 3.5 0 1 1 0 7 3.5 3.5 0 0 1 0-7zM3 20v-1a5 5 0 0 1 5-5h2a5 5 0 0 1 5 5v1M16 4.2a3.5 3.5 0 0 1 0 6.6M21 20v-1a5 5 0 0 0-4-4.9" />
  ),
  consent: <path d="M6 3h9l4 4v13a1 1 0 0 1-1 1H6a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1zM9 13l2 2 4-4" />,
  key: <path d="M15 4a5 5 0 1 1-3.5 8.6L5 19H3v-3l6.4-6.4A5 5 0 0 1 15 4zM15.5 8.5h.01" />,
  webhook: (
    <path d="M9.5 8.5a3.5 3.5 0 1 1 5.3 3L17 16M6.5 13A3.5 3.5 0 1 0 10 17h6M17.5 13.5a3.5 3.5 0 1 1-3 5.3M12 8.5L8.5 15" />
  ),
  bolt: <path d="M13 3L5 13h6l-1 8 8-10h-6z" />,
  list: <path d="M9 6h11M9 12h11M9 18h11M4.5 6h.01M4.5 12h.01M4.5 18h.01" />,
  book: (
    <path d="M12 6c-2-1.5-5-2-8-1.5V18c3-.5 6 0 8 1.5 2-1.5 5-2 8-1.5V4.500C17 4 14 4.500 12 6zM12 6v13.500" />
  ),
  card: (
    <path d="M4 6h16a1 1 0 0 1 1 1v10a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1V7a1 1 0 0 1 1-1zM3 10.500h18M7 14.500h3" />
  ),
  settings: (
    <path d="M12 9a3 3 0 1 1 0 6 3 3 0 0 1 0-6zM19 12a7 7 0 0 0-.1-1.300l2-1.500-2-3.400-2.300 1a7 7 0 0 0-2.300-1.300L14 3h-4l-.3 2.500a7 7 0 0 0-2.300 1.300l-2.300-1-2 3.400 2 1.500a7 7 0 0 0 0 2.600l-2 1.500 2 3.400 2.300-1a7 7 0 0 0 2.300 1.300L10 21h4l.3-2.500a7 7 0 0 0 2.300-1.300l2.300 1 2-3.400-2-1.500c.1-.4.1-.9.1-1.300z" />
  ),
  building: (
    <path d="M5 21V4a1 1 0 0 1 1-1h8a1 1 0 0 1 1 1v17M15 9h3a1 1 0 0 1 1 1v11M3 21h18M8.500 7h3M8.500 11h3M8.500 15h3" />
  ),
  tower: (
    <path d="M12 11a1.500 1.500 0 1 1 0-3 1.500 1.500 0 0 1 0 3zM12 11v10M8 13.500a5.500 5.500 0 0 1 0-8M16 5.500a5.500 5.500 0 0 1 0 8M5.200 16a9.500 9.500 0 0 1 0-13M18.800 3a9.500 9.500 0 0 1 0 13" />
  ),
  box: <path d="M12 3l8 4.500v9L12 21l-8-4.500v-9zM12 12l8-4.500M12 12v9M12 12L4 7.500" />,
  search: <path d="M10.500 4a6.500 6.500 0 1 1 0 13 6.500 6.500 0 0 1 0-13zM20 20l-4.500-4.500" />,
  plus: <path d="M12 5v14M5 12h14" />,
  minus: <path d="M5 12h14" />,
  check: <path d="M5 12.500l4.500 4.500L19 7.500" />,
  x: <path d="M6 6l12 12M18 6L6 18" />,
  copy: (
    <path d="M9 8h10a1 1 0 0 1 1 1v10a1 1 0 0 1-1 1H9a1 1 0 0 1-1-1V9a1 1 0 0 1 1-1zM16 8V5a1 1 0 0 0-1-1H5a1 1 0 0 0-1 1v10a1 1 0 0 0 1 1h3" />
  ),
  chevron: <path d="M9 6l6 6-6 6" />,
  down: <path d="M7 10l5 5 5-5" />,
  dots: <path strokeWidth="2.5" d="M5 12h.01M12 12h.01M19 12h.01" />,
  menu: <path d="M4 7h16M4 12h16M4 17h16" />,
  sun: (
    <path d="M12 8a4 4 0 1 1 0 8 4 4 0 0 1 0-8zM12 2v2M12 20v2M4.900 4.900l1.400 1.400M17.700 17.700l1.400 1.400M2 12h2M20 12h2M4.900 19.100l1.400-1.400M17.700 6.300l1.400-1.400" />
  ),
  moon: <path d="M12 3a7 7 0 0 0 9 9 9 9 0 1 1-9-9z" />,
  send: <path d="M10 14L20 4M20 4l-6 17-4-7-7-4z" />,
  reply: <path d="M9 14l-5-4.500L9 5M4 9.500h9a7 7 0 0 1 7 7V19" />,
  alert: <path d="M12 4l9 16H3zM12 10v4M12 17h.01" />,
  info: <path d="M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 11v5M12 8h.01" />,
  pause: <path d="M8 5v14M16 5v14" />,
  play: <path d="M7 5l12 7-12 7z" />,
  stop: <path d="M6 6h12v12H6z" />,
  retry: <path d="M20 11a8 8 0 1 0-2.300 6.700M20 4v7h-7" />,
  upload: <path d="M12 16V5M7 9.500L12 4.500l5 5M5 19.500h14" />,
  download: <path d="M12 4v11M7 10.500l5 5 5-5M5 19.500h14" />,
  trash: <path d="M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5M14 11v5" />,
  bookmark: <path d="M7 4h10a1 1 0 0 1 1 1v15l-6-4-6 4V5a1 1 0 0 1 1-1z" />,
  columns: (
    <path d="M5 5h14a1 1 0 0 1 1 1v12a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1V6a1 1 0 0 1 1-1zM10 5v14M15 5v14" />
  ),
  bell: <path d="M10 5a2 2 0 0 1 4 0 7 7 0 0 1 4 6v3l2 3H4l2-3v-3a7 7 0 0 1 4-6zM10 20h4" />,
  link: (
    <path d="M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1" />
  ),
  inbox: <path d="M4 13l3-8h10l3 8v6a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1zM4 13h5l1 2.500h4l1-2.500h5" />,
  out: <path d="M14 5h5v5M19 5l-8 8M18 14v4a1 1 0 0 1-1 1H6a1 1 0 0 1-1-1V7a1 1 0 0 1 1-1h4" />,
  logout: <path d="M14 4H6a1 1 0 0 0-1 1v14a1 1 0 0 0 1 1h8M10 12h11M18 9l3 3-3 3" />,
  user: <path d="M12 4a4 4 0 1 1 0 8 4 4 0 0 1 0-8zM5 20a7 7 0 0 1 14 0" />,
  tag: <path d="M4 5v6l9 9 7-7-9-9H5a1 1 0 0 0-1 1zM8 8.500h.01" />,
  eye: (
    <path d="M3 12c2.500-4.500 5.500-6.500 9-6.500s6.500 2 9 6.500c-2.500 4.500-5.500 6.500-9 6.500S5.500 16.500 3 12zM12 9.500a2.500 2.500 0 1 1 0 5 2.500 2.500 0 0 1 0-5z" />
  ),
  filter: <path d="M4 5h16l-6 7.500V19l-4-2v-4.500z" />,
  stamp: (
    <path d="M9.500 13c0-3-1.500-4-1.500-6a4 4 0 0 1 8 0c0 2-1.500 3-1.500 6M6 13h12a1 1 0 0 1 1 1v3H5v-3a1 1 0 0 1 1-1zM5 21h14" />
  ),
  flow: (
    <path d="M9 4h6v4H9zM3 16h6v4H3zM15 16h6v4h-6zM12 8v4M6 16v-2a2 2 0 0 1 2-2h8a2 2 0 0 1 2 2v2" />
  ),
  gauge: (
    <path d="M4 18a9 9 0 1 1 16 0M12 14l4-5M12 15.500a1.500 1.500 0 1 0 0-3 1.500 1.500 0 0 0 0 3z" />
  ),
  dot: <path d="M12 10a2 2 0 1 1 0 4 2 2 0 0 1 0-4z" />,
} as const;

export type IconName = keyof typeof PATHS;

export function Icon(props: { name: IconName; size?: number }): ReactNode {
  const size = props.size ?? 16;
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.7}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      {PATHS[props.name]}
    </svg>
  );
}
