// The messages of a topic: found, followed, looked at, written. The URL holds what is looked for and which one is open.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { address, path } from "../../api/client";
import type { Cluster } from "../../api/clusters";
import type { Message } from "../../api/messages";
import { me, useMay } from "../../api/me";
import { copy } from "../../components/CopyAs";
import { DataTable } from "../../components/DataTable";
import { EmptyState } from "../../components/EmptyState";
import { Icon } from "../../components/Icon";
import { Menu } from "../../components/Menu";
import { StatusMark } from "../../components/StatusMark";
import { command, curl } from "../../format/shell";
import { t, useLanguage } from "../../i18n/text";
import { currentPlace, navigate, setQuery, usePlace } from "../../router";
import { bootstrap } from "../bootstrap";
import type { TopicTabProps } from "../topics/tabs";
import { messageColumns } from "./columns";
import { consoleConsumer, riachoConsume } from "./commands";
import { ExportMenu } from "./ExportMenu";
import { rowKey } from "./kept_rows";
import { MessageDrawer } from "./MessageDrawer";
import "./messages.css";
import { ProduceDialog } from "./ProduceDialog";
import { ProgressLine } from "./ProgressLine";
import { EMPTY_FORM, type RecordForm } from "./record";
import { apiQuery, EVERYTHING, isFiltered, placeOf, queryOf, type Search, searchOf } from "./search";
import { SearchBar } from "./SearchBar";
import { useMessages } from "./use_messages";

const WRONG_EXPRESSION = 40002;

export default function MessagesTab({ cluster, topic, onChanged }: TopicTabProps) {
  const { path: here, query } = usePlace();
  const search = useMemo(() => searchOf(query), [query.toString()]);
  const at = path`/clusters/${cluster.id}/topics/${topic.name}/messages`;
  const box = useRef<HTMLDivElement>(null);
  const [isPaused, setPaused] = useState(false);
  const [isAway, setAway] = useState(false);
  const [written, setWritten] = useState<RecordForm | null>(null);
  const messages = useMessages(at, search, search.follow && (isPaused || isAway));
  const mayWrite = useMay("operator");
  const language = useLanguage();
  const servers = bootstrap(cluster);
  const asked = queryOf(search).toString();
  const columns = useMemo(() => messageColumns((place) => `${here}?${asked}${asked === "" ? "" : "&"}message=${place}`), [here, asked, language]);
  const open = placeOf(query.get("message"));
  const openKey = open === null ? null : rowKey(open);

  const scrollBox = (): Element | null => box.current?.querySelector(".table-box") ?? null;
  useEffect(() => {
    setPaused(false);
    setAway(false);
    scrollBox()?.scrollTo(0, 0);
  }, [asked]);

  const go = (next: Search): void => {
    const text = queryOf(next).toString();
    if (text === asked) messages.again();
    else navigate(currentPlace().path + (text === "" ? "" : `?${text}`));
  };
  const showNew = (): void => {
    setPaused(false);
    setAway(false);
    scrollBox()?.scrollTo(0, 0);
  };
  const wrong = messages.refused?.code === WRONG_EXPRESSION ? { message: messages.refused.message, position: messages.refused.position ?? 1 } : null;
  const rows = messages.state === "refused" ? [] : messages.rows;
  return (
    <div
      ref={box}
      class="messages"
      onScrollCapture={(event) => {
        // New rows come in at the top of what is newest first: who has scrolled away reads on undisturbed.
        if (search.follow && event.target instanceof Element && event.target.matches(".table-box")) setAway(event.target.scrollTop > 0);
      }}
    >
      <SearchBar search={search} partitions={topic.partitions} wrong={wrong} onSearch={go}>
        <button type="button" class="button" data-key="l" aria-pressed={search.follow} title={t("messages.live_about")} onClick={() => go({ ...search, follow: !search.follow, ...(search.follow ? {} : { from: "newest" as const }) })}>
          <Icon name="pipelines" />
          {t("messages.live")}
        </button>
        {mayWrite && (
          <button type="button" class="button" data-key="p" onClick={() => setWritten(EMPTY_FORM)}>
            <Icon name="plus" />
            {t("messages.produce")}
          </button>
        )}
        <ExportMenu cluster={cluster} topic={topic.name} search={search} />
        <Menu label={t("copy.as")} icon="copy" items={commands(search, topic.name, cluster, location.origin + address(at, apiQuery(search, Date.now())))} />
      </SearchBar>
      {messages.problems.length > 0 && (
        <ul class="message-problems" role="alert">
          {messages.problems.map((problem) => (
            <li key={problem}>
              <StatusMark status="warning">{problem}</StatusMark>
            </li>
          ))}
        </ul>
      )}
      <DataTable<Message>
        id="messages"
        label={t("topics.messages")}
        columns={columns}
        rows={rows}
        rowKey={rowKey}
        rowClass={(row) => (rowKey(row) === openKey ? "selected" : "")}
        onRow={(row) => setQuery({ message: rowKey(row) })}
        isSlow
        isFilled
        empty={<Nothing messages={messages} search={search} topic={topic.name} servers={servers} isRiacho={cluster.is_riacho} onSearch={go} {...(mayWrite ? { onProduce: () => setWritten(EMPTY_FORM) } : {})} />}
      >
        <ProgressLine messages={messages} isPaused={isPaused} onPause={setPaused} onShowNew={showNew} />
        {messages.dropped > 0 && <span class="soft small">{t("messages.dropped", { n: messages.dropped })}</span>}
      </DataTable>
      {open !== null && (
        <MessageDrawer
          cluster={cluster}
          topic={topic}
          place={open}
          search={search}
          rows={messages.rows ?? []}
          onOpen={(place) => setQuery({ message: place === null ? null : rowKey(place) }, { replace: true })}
          onEdit={setWritten}
          onChanged={onChanged}
        />
      )}
      {written !== null && <ProduceDialog cluster={cluster} topic={topic} initial={written} onClose={() => setWritten(null)} onDone={onChanged} />}
    </div>
  );
}

function commands(search: Search, topic: string, cluster: Cluster, url: string) {
  const own = riachoConsume(search, topic, cluster);
  const kafka = consoleConsumer(search, topic, bootstrap(cluster));
  return [
    ...(own === null ? [] : [{ label: t("messages.copy_as", { name: "riacho consume" }), onSelect: () => void copy(own) }]),
    ...(kafka === null ? [] : [{ label: t("messages.copy_as", { name: "kafka-console-consumer" }), onSelect: () => void copy(kafka) }]),
    { label: t("copy.as_curl"), onSelect: () => void copy(curl("GET", url, undefined, me.get())) },
  ];
}

interface NothingProps {
  messages: ReturnType<typeof useMessages>;
  search: Search;
  topic: string;
  servers: string;
  isRiacho: boolean;
  onSearch(search: Search): void;
  onProduce?(): void;
}

function Nothing({ messages, search, topic, servers, isRiacho, onSearch, onProduce }: NothingProps) {
  if (messages.state === "refused") {
    return (
      <EmptyState title={t("messages.refused")}>
        <span class="sentence">{messages.refused?.code === WRONG_EXPRESSION ? t("messages.where_hint") : messages.refused?.message}</span>
      </EmptyState>
    );
  }
  const first = isRiacho
    ? command("riacho", "produce", topic, '{"hello": "world"}', "--bootstrap-server", servers)
    : `echo '{"hello": "world"}' | ${command("kafka-console-producer", "--bootstrap-server", servers, "--topic", topic)}`;
  const produce = onProduce !== undefined && (
    <button type="button" class="button main" onClick={onProduce}>
      <Icon name="plus" />
      {t("messages.produce")}
    </button>
  );
  if (messages.state === "following" || messages.state === "lost") {
    return (
      <EmptyState title={t("messages.none_yet")} command={first} action={produce}>
        {t("messages.none_yet_how")}
      </EmptyState>
    );
  }
  if (messages.state === "broken" || messages.state === "stopped" || messages.reason === "time") {
    return <EmptyState title={t("messages.none_found")}>{t("messages.none_finished")}</EmptyState>;
  }
  if (isFiltered(search)) {
    return (
      <EmptyState
        title={t("messages.none_found")}
        action={
          <button type="button" class="button" onClick={() => onSearch({ ...search, key: "", value: "", header: "", fields: [], where: "" })}>
            {t("messages.clear")}
          </button>
        }
      >
        {t("messages.none_found_why", { n: messages.progress?.scanned ?? 0 })}
      </EmptyState>
    );
  }
  if (search.from !== "newest" && search.from !== "oldest") {
    return (
      <EmptyState
        title={t("messages.none_there")}
        action={
          <button type="button" class="button" onClick={() => onSearch(EVERYTHING)}>
            {t("messages.newest")}
          </button>
        }
      >
        {t("messages.none_there_why")}
      </EmptyState>
    );
  }
  return (
    <EmptyState title={t("messages.none")} command={first} action={produce}>
      {t("messages.none_how")}
    </EmptyState>
  );
}
