// What a table holds, as a file.
import { type CsvValue, csv, download } from "../format/csv";
import { t } from "../i18n/text";
import { Icon } from "./Icon";
import { toast } from "./toasts";

export type CsvLines = readonly (readonly CsvValue[])[];

export interface CsvButtonProps {
  /** Of the file, without its ending. */
  name: string;
  isDisabled?: boolean;
  /** The names of the columns first. It may have to ask for the rest of a list. */
  lines(): CsvLines | Promise<CsvLines>;
}

export function CsvButton({ name, isDisabled = false, lines }: CsvButtonProps) {
  const save = async (): Promise<void> => {
    try {
      download(`${name}.csv`, "text/csv;charset=utf-8", csv(await lines()));
    } catch (error) {
      toast({ text: (error as Error).message, status: "bad" });
    }
  };
  return (
    <button type="button" class="button quiet icon" aria-label={t("table.csv")} title={t("table.csv")} disabled={isDisabled} onClick={() => void save()}>
      <Icon name="download" />
    </button>
  );
}
