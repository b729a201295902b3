// Spark's own pages of what runs there, in a tab of their own; nothing where it serves none.
import { Icon } from "../../components/Icon";
import { t } from "../../i18n/text";
import { isLoopback, webAddress } from "./spark_address";

export function SparkLink({ address }: { address: string | null | undefined }) {
  const url = webAddress(address);
  if (url === null) return null;
  return (
    <a class="button quiet" href={url.href} target="_blank" rel="noopener noreferrer" title={isLoopback(url) ? t("pipelines.spark_ui_here", { address: url.origin }) : url.origin}>
      <Icon name="right" />
      {t("pipelines.spark_ui")}
    </a>
  );
}
