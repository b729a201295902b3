// A connector's config as a form that its plugin describes, or as JSON: whatever is changed in one shows in the other.
import type { ComponentChildren } from "preact";
import { useEffect, useId, useState } from "preact/hooks";
import { type PluginForm, shortClass } from "../../api/connectors";
import { CodeEditor } from "../../components/CodeEditor";
import { Combobox } from "../../components/Combobox";
import { Icon } from "../../components/Icon";
import { useFlag } from "../../components/list_state";
import { SearchBox } from "../../components/SearchBox";
import { t } from "../../i18n/text";
import { setQuery, usePlace } from "../../router";
import { CLASS, type Draft, draftText, isUsual, type Known, known, parseDraft, withSetting } from "./draft";
import { SettingField } from "./SettingField";
import type { Trial } from "./use_trial";

export interface ConnectorFormProps {
  clusterId: string;
  form: PluginForm;
  draft: Draft;
  trial: Trial;
  /** Settings whose values are dots. */
  hidden: readonly string[];
  /** What is wrong with settings that nobody has touched is told too. */
  isChecked: boolean;
  /** A connector that is there keeps its name. */
  isNew: boolean;
  onChange(draft: Draft): void;
  /** The JSON says nothing that could be sent; the draft is as it was before. */
  onUnreadable(isUnreadable: boolean): void;
}

export function ConnectorForm(props: ConnectorFormProps) {
  const { query } = usePlace();
  const isJson = query.get("as") === "json";
  const told = known(props.form, props.trial.validation);
  return (
    <div class="connector-form">
      <div class="toolbar">
        <div class="segments" role="group" aria-label={t("connector.as")}>
          <button type="button" class="button" aria-pressed={!isJson} onClick={() => setQuery({ as: null }, { replace: true })}>
            {t("connector.as_form")}
          </button>
          <button type="button" class="button" aria-pressed={isJson} onClick={() => setQuery({ as: "json" }, { replace: true })}>
            {t("connector.as_json")}
          </button>
        </div>
        {!isJson && <Filters told={told} />}
      </div>
      {isJson ? <AsJson {...props} told={told} /> : <AsFields {...props} told={told} />}
    </div>
  );
}

function Filters({ told }: { told: Known }) {
  const { query } = usePlace();
  const [isAll, setAll] = useFlag("all");
  const count = told.sections.reduce((sum, section) => sum + section.settings.length, 0);
  return (
    <>
      <SearchBox value={query.get("q") ?? ""} label={t("config.search")} onSearch={(text) => setQuery({ q: text }, { replace: true })} />
      <label class="check">
        <input type="checkbox" checked={isAll} onChange={(event) => setAll(event.currentTarget.checked)} />
        {t("connector.all_settings", { n: count })}
      </label>
    </>
  );
}

interface PartProps extends ConnectorFormProps {
  told: Known;
}

function AsFields({ clusterId, form, draft, hidden, isChecked, isNew, told, onChange }: PartProps) {
  const { query } = usePlace();
  const [isAll] = useFlag("all");
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set());
  const id = useId();
  const wanted = (query.get("q") ?? "").toLowerCase();
  const set = (name: string, value: string): void => {
    setTouched(new Set([...touched, name]));
    onChange({ ...draft, config: withSetting(draft.config, name, value) });
  };
  const errorsOf = (name: string): readonly string[] => (isChecked || touched.has(name) ? (told.errors.get(name) ?? []) : []);
  const others = Object.keys(draft.config).filter((name) => name !== CLASS && !told.names.has(name) && name.toLowerCase().includes(wanted));
  const nameErrors = errorsOf("name");
  return (
    <>
      {isNew && wanted === "" && (
        <FormSection title={t("connector.about_it")}>
          <div class="setting" data-setting="name">
            <label for={id}>
              {t("connectors.name")}
              <span class="setting-required">{t("connector.required")}</span>
            </label>
            <div class="field">
              <input
                id={id}
                class="input"
                value={draft.name}
                required
                autocomplete="off"
                spellcheck={false}
                aria-invalid={nameErrors.length > 0}
                {...(nameErrors.length > 0 ? { "aria-describedby": `${id}-wrong` } : {})}
                onInput={(event) => {
                  setTouched(new Set([...touched, "name"]));
                  onChange({ ...draft, name: event.currentTarget.value });
                }}
              />
              {nameErrors.length > 0 && (
                <span id={`${id}-wrong`} class="wrong">
                  {nameErrors.join(" ")}
                </span>
              )}
            </div>
          </div>
        </FormSection>
      )}
      {told.sections.map((section) => {
        const shown = section.settings.filter((setting) =>
          wanted !== ""
            ? `${setting.name} ${setting.display_name} ${setting.documentation}`.toLowerCase().includes(wanted)
            : isAll || isUsual(setting) || setting.name in draft.config || touched.has(setting.name) || errorsOf(setting.name).length > 0,
        );
        if (shown.length === 0) return null;
        return (
          <FormSection key={section.group ?? ""} title={section.group ?? shortClass(form.class)}>
            {shown.map((setting) => (
              <SettingField
                key={setting.name}
                clusterId={clusterId}
                setting={setting}
                value={draft.config[setting.name] ?? ""}
                recommended={told.recommended.get(setting.name) ?? []}
                errors={errorsOf(setting.name)}
                isHidden={hidden.includes(setting.name)}
                onChange={(value) => set(setting.name, value)}
              />
            ))}
          </FormSection>
        );
      })}
      <FormSection title={t("connector.other_settings")}>
        {others.map((name) => (
          <OtherSetting key={name} name={name} value={draft.config[name] ?? ""} onChange={(value) => onChange({ ...draft, config: { ...draft.config, [name]: value } })} onRemove={() => set(name, "")} />
        ))}
        <AddSetting names={[...told.names].filter((name) => !(name in draft.config) && name !== "name" && name !== CLASS)} onAdd={set} />
      </FormSection>
    </>
  );
}

function FormSection({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section class="panel setting-group" aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

function OtherSetting({ name, value, onChange, onRemove }: { name: string; value: string; onChange(value: string): void; onRemove(): void }) {
  const id = useId();
  return (
    <div class="setting" data-setting={name}>
      <label for={id} class="mono">
        {name}
      </label>
      <div class="row">
        <input id={id} class="input" value={value} autocomplete="off" spellcheck={false} onInput={(event) => onChange(event.currentTarget.value)} />
        <button type="button" class="button quiet icon" aria-label={t("connector.remove_setting", { name })} title={t("connector.remove_setting", { name })} onClick={onRemove}>
          <Icon name="close" />
        </button>
      </div>
    </div>
  );
}

function AddSetting({ names, onAdd }: { names: readonly string[]; onAdd(name: string, value: string): void }) {
  const [name, setName] = useState("");
  const [value, setValue] = useState("");
  const add = (): void => {
    if (name.trim() === "" || value === "") return;
    onAdd(name.trim(), value);
    setName("");
    setValue("");
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    add();
  };
  return (
    <div class="setting setting-add">
      <Combobox label={t("connector.add_name")} placeholder={t("connector.add_name")} value={name} options={names} onChange={setName} />
      <div class="row">
        <input class="input" aria-label={t("config.value")} placeholder={t("config.value")} value={value} autocomplete="off" spellcheck={false} onInput={(event) => setValue(event.currentTarget.value)} onKeyDown={onKey} />
        <button type="button" class="button" disabled={name.trim() === "" || value === ""} onClick={add}>
          <Icon name="plus" />
          {t("connector.add_setting")}
        </button>
      </div>
    </div>
  );
}

function AsJson({ draft, isChecked, isNew, told, onChange, onUnreadable }: PartProps) {
  // The text as it is typed; what it says goes into the draft as soon as it says something.
  const [text, setText] = useState(() => (isNew ? draftText(draft) : JSON.stringify(draft.config, null, 2)));
  const [isWrong, setWrong] = useState(false);
  const errors = isChecked ? [...told.errors] : [];
  useEffect(() => {
    onUnreadable(isWrong);
    return () => onUnreadable(false);
  }, [isWrong]);
  return (
    <div class="connector-json">
      <CodeEditor
        label={t("connector.as_json")}
        language="json"
        value={text}
        lines={18}
        onChange={(next) => {
          setText(next);
          const found = parseDraft(next, draft);
          setWrong(found === null);
          if (found !== null) onChange(isNew ? found : { ...found, name: draft.name });
        }}
      />
      <div class="field" aria-live="polite">
        {isWrong && <span class="wrong">{t("connector.not_config")}</span>}
        {errors.map(([name, all]) => (
          <span key={name} class="wrong">
            <span class="mono">{name}</span>: {all.join(" ")}
          </span>
        ))}
      </div>
    </div>
  );
}
