export function Mark() {
  return (
    <svg className="rail-mark" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" fill="#3A49D6" />
      <path
        d="M5 16c2.2-6.5 4.400-6.500 6.600 0s4.400 6.500 6.600 0 4.400-6.500 8.800 0"
        fill="none"
        stroke="#fff"
        strokeWidth="2.6"
        strokeLinecap="round"
      />
    </svg>
  );
}
