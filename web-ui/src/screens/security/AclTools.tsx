import type { Cluster } from "../../api/clusters";
import { useMay } from "../../api/me";
import { Icon } from "../../components/Icon";
import { t } from "../../i18n/text";
import { setQuery, usePlace } from "../../router";
import { AclDialog } from "./AclDialog";
import { PurposeDialog } from "./PurposeDialog";

/** The two ways to make entries. Which dialog is open is in the URL. */
export function AclTools({ cluster, topic, onDone }: { cluster: Cluster; topic?: string; onDone(): void }) {
  const { query } = usePlace();
  if (!useMay("admin")) return null;
  const close = (): void => setQuery({ create: null });
  const given = { cluster, onClose: close, onDone, ...(topic === undefined ? {} : { topic }) };
  return (
    <>
      <button type="button" class="button main" onClick={() => setQuery({ create: "purpose" })}>
        <Icon name="plus" />
        {t("acls.create_purpose")}
      </button>
      <button type="button" class="button" onClick={() => setQuery({ create: "entry" })}>
        {t("acls.create_one")}
      </button>
      {query.get("create") === "purpose" && <PurposeDialog {...given} />}
      {query.get("create") === "entry" && <AclDialog {...given} />}
    </>
  );
}
