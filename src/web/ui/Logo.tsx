export function Logo() {
  return (
    <svg class="logo" viewBox="0 0 32 32" width="24" height="24" aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="8" fill="var(--accent-solid)" />
      <g fill="#fff">
        <rect x="7" y="7" width="5" height="18" rx="2.5" />
        <rect x="13.5" y="7" width="5" height="11" rx="2.5" opacity=".8" />
        <rect x="20" y="7" width="5" height="14" rx="2.5" opacity=".6" />
      </g>
    </svg>
  );
}
