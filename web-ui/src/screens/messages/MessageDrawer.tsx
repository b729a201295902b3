// One message as a whole, beside the list. j and k go to the next and the one before.
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { get, path, sentence } from "../../api/client";
import type { Cluster } from "../../api/clusters";
import { isMasked, type Message } from "../../api/messages";
import { useMay } from "../../api/me";
import type { Topic } from "../../api/topics";
import { useApi } from "../../api/use_api";
import { CopyAs, CopyText } from "../../components/CopyAs";
import { CsvButton } from "../../components/CsvButton";
import { Dialog } from "../../components/Dialog";
import { ErrorState } from "../../components/EmptyState";
import { HexView } from "../../components/HexView";
import { Icon } from "../../components/Icon";
import { JsonView } from "../../components/JsonView";
import { Bytes } from "../../components/Quantity";
import { RelativeTime } from "../../components/RelativeTime";
import { Skeleton } from "../../components/Skeleton";
import { StatusMark } from "../../components/StatusMark";
import { toast } from "../../components/toasts";
import { bytesOfHex } from "../../format/hex";
import { parseJson, writeJson } from "../../format/json_text";
import { command } from "../../format/shell";
import { exactTime } from "../../format/time";
import { language, t } from "../../i18n/text";
import { keep, kept } from "../../kept";
import { bootstrap } from "../bootstrap";
import { formatName, Preview } from "./columns";
import { rowKey } from "./kept_rows";
import { formOf, isHidden, isRaw, type RecordForm } from "./record";
import { ReplayDialog } from "./ReplayDialog";
import { EVERYTHING, queryOf, type Search } from "./search";

/** Up to here the whole message comes by itself. */
const WHOLE_BYTES_MAX = 1024 * 1024;
/** More would make the browser slow; copying has all of it. */
const SHOWN_LENGTH_MAX = 500_000;
const VIEWS = ["pretty", "raw", "hex"] as const;
type View = (typeof VIEWS)[number];
type Place = Pick<Message, "partition" | "offset">;

export interface MessageDrawerProps {
  cluster: Cluster;
  topic: Topic;
  place: Place;
  search: Search;
  rows: readonly Message[];
  onOpen(place: Place | null): void;
  onEdit(form: RecordForm): void;
  onChanged(): void;
}

export function MessageDrawer({ cluster, topic, place, search, rows, onOpen, onEdit, onChanged }: MessageDrawerProps) {
  const key = rowKey(place);
  const index = rows.findIndex((row) => rowKey(row) === key);
  const row = rows[index];
  const at = path`/clusters/${cluster.id}/topics/${topic.name}/messages/${place.partition}/${place.offset}`;
  const formats = { key_format: search.key_format, value_format: search.value_format };
  const [wholeOf, setWholeOf] = useState<string | null>(null);
  const needsWhole = row === undefined || (row.is_cut && (row.size_bytes <= WHOLE_BYTES_MAX || wholeOf === key));
  const loaded = useApi<Message>(needsWhole ? at : null, formats);
  const found = loaded.data !== null && rowKey(loaded.data) === key ? loaded.data : null;
  const message = found ?? row ?? null;
  const before = index > 0 ? rows[index - 1] : undefined;
  const after = index >= 0 ? rows[index + 1] : undefined;
  const mayWrite = useMay("operator");
  const [replayed, setReplayed] = useState(false);

  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || (event.target instanceof Element && event.target.matches("input, textarea, select"))) return;
      if (document.querySelectorAll("dialog[open]").length > 1) return;
      const to = event.key === "j" ? after : event.key === "k" ? before : undefined;
      if (to === undefined) return;
      event.preventDefault();
      onOpen(to);
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [before, after]);

  /** What is hidden shows in that the bytes are not given. */
  const edit = async (): Promise<void> => {
    try {
      const raw = await get<Message>(at, { key_format: "hex", value_format: "hex" });
      if (!isRaw(raw)) throw new Error(t("messages.masked_kept"));
      const whole = message?.is_cut ? await get<Message>(at, formats) : message;
      if (whole === null) return;
      onOpen(null);
      onEdit(formOf(whole));
    } catch (error) {
      toast({ text: sentence(error), status: "bad" });
    }
  };
  const link = queryOf({ ...EVERYTHING, ...formats, from: "offset", offset: String(place.offset), partitions: [place.partition] });
  const address = `${location.origin}${location.pathname}?${link.toString()}&message=${key}`;
  return (
    <Dialog
      title={t("messages.at", { partition: String(place.partition), offset: String(place.offset) })}
      isDrawer
      onClose={() => onOpen(null)}
      footer={
        <>
          <CopyAs
            isLabelled
            action={{
              method: "GET",
              path: at,
              command: command("riacho", "consume", topic.name, "--bootstrap-server", bootstrap(cluster), "--partition", String(place.partition), "--from", String(place.offset), "--count", "1"),
            }}
          />
          <span class="push" />
          {mayWrite && message !== null && (
            <>
              <button type="button" class="button" disabled={isHidden(message)} onClick={() => void edit()}>
                <Icon name="edit" />
                {t("messages.edit")}
              </button>
              <button type="button" class="button" disabled={isHidden(message)} onClick={() => setReplayed(true)}>
                <Icon name="undo" />
                {t("messages.replay")}
              </button>
            </>
          )}
        </>
      }
    >
      <div class="message-steps">
        <button type="button" class="button" disabled={before === undefined} title={`${t("messages.before")} (k)`} onClick={() => before && onOpen(before)}>
          <Icon name="up" />
          {t("messages.before")} <kbd>k</kbd>
        </button>
        <button type="button" class="button" disabled={after === undefined} title={`${t("messages.after")} (j)`} onClick={() => after && onOpen(after)}>
          <Icon name="down" />
          {t("messages.after")} <kbd>j</kbd>
        </button>
        <span class="push" />
        <span class="soft small wide-only">{t("messages.link")}</span>
        <CopyText text={address} label={t("messages.link_copy")} />
      </div>
      {message === null && loaded.error !== null && <ErrorState error={loaded.error} onRetry={loaded.reload} />}
      {message === null && loaded.error === null && <Skeleton isShown={loaded.isSlow} />}
      {message !== null && (
        <Whole key={key} message={message} at={at}>
          {message.is_cut && found === null && (
            <p class="message-cut">
              {t("messages.cut")}
              <button type="button" class="button" onClick={() => setWholeOf(key)}>
                {t("messages.whole")} (<Bytes value={message.size_bytes} />)
              </button>
            </p>
          )}
          {loaded.error !== null && <StatusMark status="bad">{sentence(loaded.error)}</StatusMark>}
        </Whole>
      )}
      {replayed && message !== null && <ReplayDialog topic={topic} message={message} at={at} onClose={() => setReplayed(false)} onDone={onChanged} />}
    </Dialog>
  );
}

function Whole({ message, at, children }: { message: Message; at: string; children: ComponentChildren }) {
  const [view, setView] = useState<View>(() => VIEWS.find((each) => each === kept("message.view")) ?? "pretty");
  const choose = (next: View): void => {
    keep("message.view", next);
    setView(next);
  };
  return (
    <div class="stack">
      <dl class="message-facts">
        <Fact name={t("messages.time")}>
          {exactTime(message.timestamp_ms, language())} <span class="soft">(<RelativeTime ms={message.timestamp_ms} />)</span>
        </Fact>
        <Fact name={t("messages.time_of")}>{t(message.timestamp_type === "create_time" ? "messages.create_time" : "messages.append_time")}</Fact>
        <Fact name={t("topics.size")}>
          <Bytes value={message.size_bytes} />
        </Fact>
        <Fact name={t("messages.key_format")}>
          <Decoded as={message.key_decoded} />
        </Fact>
        <Fact name={t("messages.value_format")}>
          <Decoded as={message.value_decoded} />
        </Fact>
      </dl>
      <section class="message-part">
        <header>
          <h3>{t("messages.key")}</h3>
          {message.key !== null && message.key !== "" && <CopyText text={message.key} label={t("messages.copy_key")} />}
        </header>
        <Text text={message.key} what="key" />
      </section>
      <section class="message-part">
        <header>
          <h3>{t("messages.value")}</h3>
          <span class="push" />
          {message.value !== null && (
            <div class="row" role="group" aria-label={t("messages.view")}>
              {VIEWS.map((each) => (
                <button key={each} type="button" class="button quiet" aria-pressed={view === each} onClick={() => choose(each)}>
                  {t(`messages.view.${each}`)}
                </button>
              ))}
            </div>
          )}
          {message.value !== null && message.value !== "" && <CopyText text={view === "pretty" ? indented(message.value) : message.value} label={t("messages.copy_value")} />}
        </header>
        {view === "hex" && message.value !== null ? <Hex at={at} /> : <Text text={message.value} what="value" isPretty={view === "pretty"} />}
        {children}
      </section>
      <section class="message-part">
        <header>
          <h3>{t("messages.headers")}</h3>
          <span class="tag">{message.headers.length}</span>
          <span class="push" />
          {message.headers.length > 0 && <CsvButton name="headers" lines={() => [["name", "value"], ...message.headers]} />}
        </header>
        {message.headers.length === 0 ? (
          <p class="soft">{t("messages.no_headers")}</p>
        ) : (
          <table class="message-headers">
            <tbody>
              {message.headers.map(([name, text], index) => (
                <tr key={index}>
                  <th scope="row" class="mono">
                    {name}
                  </th>
                  <td class="mono">{text === null ? <span class="tag">null</span> : text === "" ? <Preview text="" what="value" /> : <Masked text={text}>{text}</Masked>}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </section>
    </div>
  );
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Decoded({ as }: { as: Message["key_decoded"] }) {
  return (
    <>
      {formatName(as.format)}
      {as.schema_id !== null && <span class="tag accent">{t("messages.schema_id", { id: String(as.schema_id) })}</span>}
      {as.reason !== null && <span class="message-reason">{as.reason}</span>}
    </>
  );
}

function Masked({ text, children }: { text: string; children: ComponentChildren }) {
  return (
    <>
      {isMasked(text) && (
        <span class="message-lock" title={t("messages.masked")}>
          <Icon name="lock" />
          <span class="unseen">{t("messages.masked")}</span>
        </span>
      )}
      {children}
    </>
  );
}

function Text({ text, what, isPretty = false }: { text: string | null; what: "key" | "value"; isPretty?: boolean }) {
  if (text === null || text === "") {
    return (
      <p>
        <Preview text={text} what={what} /> {text === null && <span class="soft">{t(what === "key" ? "messages.no_key_about" : "messages.tombstone_about")}</span>}
      </p>
    );
  }
  const shown = text.slice(0, SHOWN_LENGTH_MAX);
  return (
    <>
      {isMasked(text) && (
        <p class="soft small">
          <Masked text={text}>{t("messages.masked")}</Masked>
        </p>
      )}
      <div class="message-text">{isPretty && shown.length === text.length ? <JsonView text={text} /> : <pre>{shown}</pre>}</div>
      {shown.length < text.length && <p class="soft small">{t("messages.shown_part", { n: SHOWN_LENGTH_MAX, total: text.length })}</p>}
    </>
  );
}

function Hex({ at }: { at: string }) {
  const loaded = useApi<Message>(at, { key_format: "hex", value_format: "hex" });
  if (loaded.error !== null) return <ErrorState error={loaded.error} onRetry={loaded.reload} />;
  if (loaded.data === null) return <Skeleton isShown={loaded.isSlow} />;
  if (loaded.data.value_decoded.format !== "hex") {
    return (
      <p>
        <StatusMark status="idle">{t("messages.masked_hex")}</StatusMark>
      </p>
    );
  }
  return <HexView bytes={bytesOfHex(loaded.data.value ?? "")} />;
}

function indented(text: string): string {
  const tree = parseJson(text);
  return tree === null ? text : writeJson(tree);
}
