import { path } from "../../api/client";
import type { Cluster } from "../../api/clusters";
import { EmptyState } from "../../components/EmptyState";
import { t } from "../../i18n/text";
import { bootstrap } from "../bootstrap";
import { AclList } from "./AclList";
import { AclTools } from "./AclTools";

export function AclsTab({ cluster }: { cluster: Cluster }) {
  return (
    <AclList
      id="acls"
      cluster={cluster}
      path={path`/clusters/${cluster.id}/acls`}
      tools={(reload) => <AclTools cluster={cluster} onDone={reload} />}
      empty={
        <EmptyState title={t("acls.none")} command={`kafka-acls --bootstrap-server ${bootstrap(cluster)} --add --allow-principal User:ana --producer --topic orders`}>
          {t("acls.none_how")}
        </EmptyState>
      }
    />
  );
}
