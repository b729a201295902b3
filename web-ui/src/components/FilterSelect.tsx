// A choice in a list's toolbar: as wide as its words, with its label read out.
import "./filter_select.css";

export interface FilterSelectProps {
  label: string;
  value: string;
  /** What it is, and what it says. The first is the one that leaves all in. */
  options: readonly (readonly [value: string, title: string])[];
  onChange(value: string): void;
}

export function FilterSelect({ label, value, options, onChange }: FilterSelectProps) {
  return (
    <select class="input filter-select" aria-label={label} title={label} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
      {options.map(([id, title]) => (
        <option key={id} value={id}>
          {title}
        </option>
      ))}
    </select>
  );
}
