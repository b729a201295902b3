import { get, path } from "../../api/client";
import type { Page } from "../../api/list";
import type { SchemaType, Subject, SubjectRow } from "../../api/schemas";
import { Combobox } from "../../components/Combobox";
import { Icon } from "../../components/Icon";
import { t } from "../../i18n/text";
import type { ReferenceLine } from "./schema_form";

const OFFERED_MAX = 20;

export interface ReferenceLinesProps {
  clusterId: string;
  type: SchemaType;
  lines: readonly ReferenceLine[];
  onChange(lines: ReferenceLine[]): void;
}

export function ReferenceLines({ clusterId, type, lines, onChange }: ReferenceLinesProps) {
  const put = (index: number, change: Partial<ReferenceLine> | null): void =>
    onChange(lines.flatMap((each, at) => (at !== index ? [each] : change === null ? [] : [{ ...each, ...change }])));
  const subjects = async (q: string, signal: AbortSignal): Promise<string[]> =>
    (await get<Page<SubjectRow>>(path`/clusters/${clusterId}/schemas`, { q, page_size: OFFERED_MAX }, signal)).items.map((each) => each.subject);
  const versions = (subject: string) => async (_: string, signal: AbortSignal): Promise<string[]> =>
    subject === "" ? [] : (await get<Subject>(path`/clusters/${clusterId}/schemas/${subject}`, {}, signal)).versions.map(String).reverse();
  return (
    <fieldset class="stack tight">
      <legend>{t("schema.references")}</legend>
      {lines.map((line, index) => (
        <div key={index} class="reference-line">
          <input class="input mono" value={line.name} aria-label={t("schema.reference_name")} placeholder={t(`schema.reference_name.${type}`)} autocomplete="off" spellcheck={false} onInput={(event) => put(index, { name: event.currentTarget.value })} />
          <Combobox label={t("schemas.subject")} value={line.subject} options={subjects} placeholder={t("schemas.subject")} onChange={(subject) => put(index, { subject })} />
          <Combobox label={t("schema.version")} value={line.version} options={versions(line.subject)} placeholder={t("schema.version")} onChange={(version) => put(index, { version })} />
          <button type="button" class="button quiet icon" aria-label={t("action.remove")} title={t("action.remove")} onClick={() => put(index, null)}>
            <Icon name="close" />
          </button>
        </div>
      ))}
      <div>
        <button type="button" class="button" onClick={() => onChange([...lines, { name: "", subject: "", version: "" }])}>
          <Icon name="plus" />
          {t("schema.add_reference")}
        </button>
      </div>
    </fieldset>
  );
}
