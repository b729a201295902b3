// One setting of a plugin: the control that its type asks for, what it does, what is wrong with it.
import { useId } from "preact/hooks";
import { get, path } from "../../api/client";
import type { Definition } from "../../api/connectors";
import type { Page } from "../../api/list";
import type { TopicRow } from "../../api/topics";
import { Combobox } from "../../components/Combobox";
import { t } from "../../i18n/text";
import { isSecret } from "./draft";

export interface SettingFieldProps {
  clusterId: string;
  setting: Definition;
  value: string;
  recommended: readonly string[];
  errors: readonly string[];
  /** It has a value that is not shown. */
  isHidden: boolean;
  onChange(value: string): void;
}

const TOPICS = new Set(["topics", "topic", "kafka.topic", "errors.deadletterqueue.topic.name"]);
const NUMBERS = new Set(["INT", "LONG", "SHORT", "DOUBLE"]);

export function SettingField({ clusterId, setting, value, recommended, errors, isHidden, onChange }: SettingFieldProps) {
  const id = useId();
  const isWrong = errors.length > 0;
  const title = setting.display_name === "" ? setting.name : setting.display_name;
  const options = TOPICS.has(setting.name) ? topicsOf(clusterId) : setting.type === "BOOLEAN" ? ["true", "false"] : recommended;
  const placeholder = setting.default_value ?? "";
  const hasAbout = setting.documentation !== "" || isHidden;
  const describedBy = [hasAbout ? `${id}-about` : "", isWrong ? `${id}-wrong` : ""].filter((each) => each !== "").join(" ");
  return (
    <div class="setting" data-setting={setting.name}>
      <label for={id}>
        {title}
        {setting.required && <span class="setting-required">{t("connector.required")}</span>}
        {title !== setting.name && <span class="setting-name mono">{setting.name}</span>}
      </label>
      <div class="field">
        {typeof options === "function" || options.length > 0 ? (
          <Combobox id={id} value={value} options={options} placeholder={placeholder} isInvalid={isWrong} describedBy={describedBy} onChange={onChange} />
        ) : (
          <input
            id={id}
            class="input"
            {...(isSecret(setting) ? { type: "password" as const } : { type: "text" as const })}
            {...(NUMBERS.has(setting.type) ? { inputMode: "decimal" as const } : {})}
            value={value}
            placeholder={placeholder}
            autocomplete={isSecret(setting) ? "new-password" : "off"}
            spellcheck={false}
            required={setting.required}
            aria-invalid={isWrong}
            {...(describedBy === "" ? {} : { "aria-describedby": describedBy })}
            onInput={(event) => onChange(event.currentTarget.value)}
          />
        )}
        {hasAbout && (
          <span id={`${id}-about`} class="hint">
            {setting.documentation}
            {isHidden && <span class="setting-hidden">{t("connector.secret_kept")}</span>}
          </span>
        )}
        {isWrong && (
          <span id={`${id}-wrong`} class="wrong">
            {errors.join(" ")}
          </span>
        )}
      </div>
      <span class="setting-type soft small">{setting.type.toLowerCase()}</span>
    </div>
  );
}

/** Topics whose name has what follows the last comma. */
function topicsOf(clusterId: string): (text: string, signal: AbortSignal) => Promise<readonly string[]> {
  return async (text, signal) => {
    const end = text.lastIndexOf(",") + 1;
    const found = await get<Page<TopicRow>>(path`/clusters/${clusterId}/topics`, { q: text.slice(end).trim(), page_size: 20 }, signal);
    return found.items.map((topic) => text.slice(0, end) + topic.name);
  };
}
