// Making entries and taking them away, each with its way back.
import { type Acl, aclKey } from "../../api/acls";
import { get, path, send } from "../../api/client";
import type { Cluster } from "../../api/clusters";
import type { Page } from "../../api/list";
import { toast } from "../../components/toasts";
import { t } from "../../i18n/text";

const ASKED_MAX = 500;

/** The keys of those that this principal has already. */
export async function keysOf(cluster: Cluster, principal: string, signal?: AbortSignal): Promise<Set<string>> {
  const found = await get<Page<Acl>>(path`/clusters/${cluster.id}/acls`, { q: principal, page_size: ASKED_MAX }, signal);
  return new Set(found.items.map(aclKey));
}

export async function makeAcls(cluster: Cluster, acls: readonly Acl[], onDone: () => void): Promise<void> {
  const at = path`/clusters/${cluster.id}/acls`;
  const before = await keysOf(cluster, acls[0]?.principal ?? "");
  await send("POST", at, { acls });
  onDone();
  // Those that were there stay when this is undone.
  const made = acls.filter((acl) => !before.has(aclKey(acl)));
  toast({
    text: t("acls.made", { n: made.length }),
    ...(made.length === 0
      ? {}
      : {
          undo: async () => {
            await send("DELETE", at, { acls: made });
            onDone();
          },
        }),
  });
}

export async function removeAcls(cluster: Cluster, acls: readonly Acl[], onDone: () => void): Promise<void> {
  const at = path`/clusters/${cluster.id}/acls`;
  await send("DELETE", at, { acls });
  onDone();
  toast({
    text: t("acls.removed", { n: acls.length }),
    undo: async () => {
      await send("POST", at, { acls });
      onDone();
    },
  });
}
