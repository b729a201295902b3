import { useId } from "preact/hooks";
import { t } from "../../i18n/text";

export interface VersionSelectProps {
  label: string;
  versions: readonly number[];
  value: number;
  onChange(version: number): void;
}

/** The newest first. */
export function VersionSelect({ label, versions, value, onChange }: VersionSelectProps) {
  const id = useId();
  const latest = versions.at(-1);
  return (
    <div class="row">
      <label for={id} class="soft">
        {label}
      </label>
      <select id={id} class="input version-select" value={String(value)} onChange={(event) => onChange(Number(event.currentTarget.value))}>
        {[...versions].reverse().map((each) => (
          <option key={each} value={String(each)}>
            {each === latest ? t("schema.n_latest", { version: String(each) }) : each}
          </option>
        ))}
      </select>
    </div>
  );
}
