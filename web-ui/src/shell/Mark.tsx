export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" />
      <path class="far" d="M5 11c3.7-3.6 7.3-3.6 11 0s7.3 3.6 11 0M5 23c3.7-3.6 7.3-3.6 11 0s7.3 3.6 11 0" />
      <path class="near" d="M5 17c3.7-3.6 7.3-3.6 11 0s7.3 3.6 11 0" />
    </svg>
  );
}
