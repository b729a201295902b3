// Topics by the parts of their names: `orders.` holds `orders.paid` and `orders.eu.paid`. Each level is asked for when it is opened.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { path } from "../../api/client";
import type { Cluster } from "../../api/clusters";
import type { TopicRow, TopicsTree } from "../../api/topics";
import { useApi } from "../../api/use_api";
import { CsvButton, type CsvLines } from "../../components/CsvButton";
import { EmptyState, ErrorState } from "../../components/EmptyState";
import { Icon } from "../../components/Icon";
import { Bytes, Count } from "../../components/Quantity";
import { Skeleton } from "../../components/Skeleton";
import { StatusMark } from "../../components/StatusMark";
import { t } from "../../i18n/text";
import { topicStatus } from "./columns";

export interface TopicTreeProps {
  cluster: Cluster;
  isInternal: boolean;
  q: string;
  href(topic: string): string;
  /** Changes when the list has to be asked for again. */
  turn: number;
  /** All topics that the tree has, open or not, as the list's file has them. */
  lines(): Promise<CsvLines>;
  children: ComponentChildren;
}

type LevelProps = Omit<TopicTreeProps, "children" | "lines">;

export function TopicTree({ children, lines, ...rest }: TopicTreeProps) {
  return (
    <>
      <div class="toolbar">
        {children}
        <span class="push" />
        <CsvButton name="topics" lines={lines} />
      </div>
      <div class="tree" tabIndex={0} role="region" aria-label={t("topics.as_tree")}>
        <Level key={rest.turn} {...rest} prefix="" />
      </div>
    </>
  );
}

function Level({ prefix, ...rest }: LevelProps & { prefix: string }) {
  const loaded = useApi<TopicsTree>(path`/clusters/${rest.cluster.id}/topics-tree`, { prefix, q: rest.q, internal: rest.isInternal || null });
  if (loaded.data === null) return loaded.error === null ? <Skeleton lines={4} isShown={loaded.isSlow} /> : <ErrorState error={loaded.error} onRetry={loaded.reload} />;
  const { prefixes, topics } = loaded.data;
  if (prefixes.length + topics.length === 0) return <EmptyState title={t("topics.none_found")}>{t("topics.none_found_why")}</EmptyState>;
  return (
    <ul>
      {prefixes.map((each) => (
        <Branch key={each.prefix} {...rest} prefix={each.prefix} shownFrom={prefix.length} topics={each.topics} />
      ))}
      {topics.map((topic) => (
        <Leaf key={topic.name} topic={topic} href={rest.href(topic.name)} shownFrom={prefix.length} />
      ))}
    </ul>
  );
}

function Branch({ prefix, shownFrom, topics, ...rest }: LevelProps & { prefix: string; shownFrom: number; topics: number }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <li>
      <div class="tree-row">
        <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <Icon name="right" />
          <span class="cut">{prefix.slice(shownFrom)}</span>
        </button>
        <span class="soft small">{t("topics.count", { n: topics })}</span>
      </div>
      {isOpen && <Level {...rest} prefix={prefix} />}
    </li>
  );
}

function Leaf({ topic, href, shownFrom }: { topic: TopicRow; href: string; shownFrom: number }) {
  const { status, word } = topicStatus(topic);
  return (
    <li>
      <div class="tree-row">
        <a class="leaf cut" href={href} title={topic.name}>
          {topic.name.slice(shownFrom)}
        </a>
        <span title={word}>
          <StatusMark status={status} />
          <span class="unseen">{word}</span>
        </span>
        <span class="tree-figures">
          <span title={t("topics.lag")}>
            <Count value={topic.lag} />
          </span>
          <span title={t("topics.size")}>
            <Bytes value={topic.size_bytes} />
          </span>
          <span title={t("topics.partitions")}>{t("topics.n_partitions", { n: topic.partitions })}</span>
        </span>
      </div>
    </li>
  );
}
