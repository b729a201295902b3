// One pipeline: what it is at, and how it has fared.
import type { Cluster } from "../../api/clusters";
import type { Pipeline } from "../../api/pipelines";
import { Dialog } from "../../components/Dialog";
import { Facts } from "../../components/Facts";
import { Icon } from "../../components/Icon";
import { Bytes, Count, Duration } from "../../components/Quantity";
import { RelativeTime } from "../../components/RelativeTime";
import { t } from "../../i18n/text";
import { TopicLinks } from "../connectors/links";
import { thingHref } from "../thing_href";
import { PipelineCharts } from "./PipelineCharts";
import { PipelineState } from "./PipelineState";
import { SparkLink } from "./SparkLink";

/** The page of the connector, or of the query. */
export function thingOf(cluster: string, pipeline: Pick<Pipeline, "kind" | "name">): string | undefined {
  return pipeline.kind === "connector"
    ? thingHref("/clusters/:cluster/connectors/:connector", { cluster, connector: pipeline.name })
    : thingHref("/clusters/:cluster/sql/:tab?", { cluster, tab: "queries" }, { query: pipeline.name });
}

export function PipelineDrawer({ cluster, pipeline, onClose }: { cluster: Cluster; pipeline: Pipeline; onClose(): void }) {
  const href = thingOf(cluster.id, pipeline);
  return (
    <Dialog
      title={pipeline.name}
      isDrawer
      onClose={onClose}
      {...(href === undefined
        ? {}
        : {
            footer: (
              <>
                <SparkLink address={pipeline.spark_ui} />
                <span class="push" />
                <a class="button" href={href}>
                  <Icon name="right" />
                  {t(pipeline.kind === "connector" ? "pipelines.to_connector" : "pipelines.to_query")}
                </a>
              </>
            ),
          })}
    >
      <div class="stack pipeline-drawer">
        <Facts
          facts={[
            [t("connectors.state"), <PipelineState pipeline={pipeline} />],
            [t("pipelines.kind"), t(`pipelines.kind.${pipeline.kind}`)],
            [t("pipelines.rows_read"), <Count value={pipeline.rows} />],
            [t("pipelines.rate"), <Count value={pipeline.rows_per_s} per />],
            [t("pipelines.latency"), <Duration ms={pipeline.batch_ms} />],
            [t("pipelines.lag"), <Count value={pipeline.lag} />],
            [t("pipelines.state_size"), <Count value={pipeline.state_rows} />],
            [t("pipelines.state_bytes"), <Bytes value={pipeline.state_bytes} />],
            [t("pipelines.errors"), <Count value={pipeline.errors} />],
            [t("connector.dead_letters"), <Count value={pipeline.dead_letters} />],
            [t("pipelines.updated"), <RelativeTime ms={pipeline.updated_ms} />],
          ]}
        />
        {(pipeline.reads.length > 0 || pipeline.writes.length > 0) && (
          <dl class="pipeline-topics">
            <dt>{t("pipelines.reads")}</dt>
            <dd>{pipeline.kind === "connector" ? <TopicLinks cluster={cluster.id} topics={pipeline.reads} /> : pipeline.reads.join(", ") || "–"}</dd>
            <dt>{t("pipelines.writes")}</dt>
            <dd>{pipeline.kind === "connector" ? <TopicLinks cluster={cluster.id} topics={pipeline.writes} /> : pipeline.writes.join(", ") || "–"}</dd>
          </dl>
        )}
        {pipeline.doing !== null && <p class="soft">{pipeline.doing}</p>}
        {pipeline.doing === null && pipeline.problem !== null && <pre class="pipeline-problem" tabIndex={0}>{pipeline.problem}</pre>}
        <PipelineCharts cluster={cluster.id} kind={pipeline.kind} name={pipeline.name} />
      </div>
    </Dialog>
  );
}
