// All that match as a file: by the browser, or as commands that write one.
import { address, path, probe, sentence } from "../../api/client";
import type { Cluster } from "../../api/clusters";
import { EXPORT_FORMATS, type ExportFormat } from "../../api/messages";
import { me } from "../../api/me";
import { copy } from "../../components/CopyAs";
import { Menu } from "../../components/Menu";
import { toast } from "../../components/toasts";
import { curl } from "../../format/shell";
import { t } from "../../i18n/text";
import { useStore } from "../../store";
import { riachoExport } from "./commands";
import { apiQuery, type Search } from "./search";

const NAMES: Record<ExportFormat, string> = { ndjson: "NDJSON", csv: "CSV", parquet: "Parquet" };

export function ExportMenu({ cluster, topic, search }: { cluster: Cluster; topic: string; search: Search }) {
  const who = useStore(me);
  const at = path`/clusters/${cluster.id}/topics/${topic}/export`;
  const exported = (format: ExportFormat): string => address(at, { ...apiQuery(search, Date.now()), limit: null, follow: null, format });
  const cannot = (format: ExportFormat): boolean => format === "parquet" && who?.has_parquet === false;
  const own = riachoExport(search, topic, cluster);
  const save = (format: ExportFormat): void => {
    // A download that is refused would be a line of the browser's that says nothing: one message is asked for first.
    probe(address(at, { format, limit: 1 })).then(
      () => download(exported(format)),
      (error: unknown) => toast({ text: sentence(error), status: "bad" }),
    );
  };
  return (
    <Menu
      label={t("messages.export")}
      icon="download"
      items={[
        ...EXPORT_FORMATS.map((format) => ({
          label: t("messages.export_as", { format: NAMES[format] }),
          icon: "download" as const,
          ...(cannot(format) ? { isDisabled: true, about: t("messages.no_parquet") } : {}),
          onSelect: () => save(format),
        })),
        ...(own === null ? [] : [{ label: t("messages.copy_as", { name: "riacho consume" }), icon: "copy" as const, onSelect: () => void copy(own) }]),
        ...EXPORT_FORMATS.filter((format) => !cannot(format)).map((format) => ({
          label: t("messages.export_curl", { format: NAMES[format] }),
          icon: "copy" as const,
          onSelect: () => void copy(curl("GET", location.origin + exported(format), undefined, who, `${topic}.${format}`)),
        })),
      ]}
    />
  );
}

/** By the browser, which writes to disk as it comes. */
function download(url: string): void {
  const link = document.createElement("a");
  link.href = url;
  link.download = "";
  link.click();
}
