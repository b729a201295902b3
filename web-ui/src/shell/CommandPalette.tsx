// Everything by typing: screens, what can be done, clusters, topics, subjects, groups, brokers, settings of the console.
import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { BrokerRow } from "../api/brokers";
import { get, path } from "../api/client";
import { type Cluster, clusters, type Part } from "../api/clusters";
import type { GroupRow } from "../api/groups";
import type { Page } from "../api/list";
import { mayAs, me, type Role } from "../api/me";
import type { SubjectRow } from "../api/schemas";
import type { TopicRow } from "../api/topics";
import { Icon, type IconName } from "../components/Icon";
import { type Key, LANGUAGES, setLanguage, t } from "../i18n/text";
import { build, navigate, type QueryChange } from "../router";
import { SCREENS } from "../screens/table";
import { setTheme, THEMES } from "../theme";
import "./command_palette.css";
import { openKeys, typedAhead } from "./doors";
import { isOffered } from "./Nav";
import { score } from "./score";

interface Command {
  id: string;
  title: string;
  kind: string;
  icon: IconName;
  keys?: string;
  run(): void;
}

const SHOWN_MAX = 12;
const FOUND_MAX = 4;
const PAUSE_MS = 120;

export default function CommandPalette({ cluster, onClose }: { cluster: Cluster | null; onClose(): void }) {
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const [found, setFound] = useState<Command[]>([]);
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const fixed = useMemo(() => fixedCommands(cluster), [cluster]);

  useLayoutEffect(() => {
    dialog.current?.showModal();
    // From here on the field gets the letters: those before it go in at once, so that none comes between.
    const before = typedAhead();
    const field = dialog.current?.querySelector("input");
    if (field) field.value = before;
    setText(before);
  }, []);
  useEffect(() => {
    setAt(0);
    if (cluster === null || text.trim() === "") {
      setFound([]);
      return;
    }
    const stop = new AbortController();
    const timer = setTimeout(() => void things(cluster, text.trim(), stop.signal).then((all) => !stop.signal.aborted && setFound(all)), PAUSE_MS);
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [text, cluster?.id]);

  const shown = [
    ...fixed
      .map((command) => ({ command, score: score(text, command.title) }))
      .filter((each) => each.score > 0)
      .sort((one, other) => other.score - one.score)
      .map((each) => each.command),
    ...found.toSorted((one, other) => score(text, other.title) - score(text, one.title)),
  ].slice(0, SHOWN_MAX);

  const run = (command: Command | undefined): void => {
    if (command === undefined) return;
    onClose();
    command.run();
  };
  const onKey = (event: KeyboardEvent): void => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      setAt((at + step + shown.length) % Math.max(1, shown.length));
    } else if (event.key === "Enter") {
      event.preventDefault();
      run(shown[at]);
    }
  };
  return (
    <dialog
      ref={dialog}
      class="palette"
      aria-label={t("palette.title")}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onMouseDown={(event) => event.target === dialog.current && onClose()}
    >
      <div class="palette-field">
        <Icon name="search" />
        <input
          role="combobox"
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          {...(shown.length > 0 ? { "aria-activedescendant": `${id}-${at}` } : {})}
          aria-label={t("palette.title")}
          placeholder={t("palette.hint")}
          value={text}
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={onKey}
        />
      </div>
      <ul id={`${id}-list`} role="listbox" aria-label={t("palette.title")}>
        {shown.map((command, index) => (
          <li
            key={command.id}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === at}
            onMouseMove={() => setAt(index)}
            onClick={() => run(command)}
          >
            <Icon name={command.icon} />
            <span class="cut push">{command.title}</span>
            <span class="small soft">{command.kind}</span>
            {command.keys !== undefined && <kbd>{command.keys}</kbd>}
          </li>
        ))}
      </ul>
      {shown.length === 0 && <p class="palette-none soft">{t("palette.none")}</p>}
    </dialog>
  );
}

/** What can be done from anywhere: a screen with its dialog open. */
const ACTIONS: readonly { title: Key; path: string; query: QueryChange; role: Role; icon: IconName; needs?: Part }[] = [
  { title: "topics.create", path: "/clusters/:cluster/topics", query: { create: true }, role: "admin", icon: "plus" },
  { title: "schemas.create", path: "/clusters/:cluster/schemas", query: { create: true }, role: "admin", icon: "schemas", needs: "schema_registry" },
  { title: "connectors.create", path: "/clusters/:cluster/connector-plugins", query: {}, role: "admin", icon: "connectors", needs: "connect" },
  { title: "acls.create_purpose", path: "/clusters/:cluster/security/acls", query: { create: "purpose" }, role: "admin", icon: "security" },
  { title: "alerts.add", path: "/clusters/:cluster/alerts/rules", query: { add: true }, role: "admin", icon: "alerts" },
  { title: "moves.move", path: "/clusters/:cluster/moves", query: { move: true }, role: "admin", icon: "transactions" },
];

function actions(cluster: Cluster | null): Command[] {
  if (cluster === null) return [];
  return ACTIONS.filter((each) => mayAs(me.get(), each.role) && (each.needs === undefined || cluster.has[each.needs])).map((each) => ({
    id: `action ${each.title}`,
    title: t(each.title),
    kind: t("palette.action"),
    icon: each.icon,
    run: () => navigate(build(each.path, { cluster: cluster.id }, each.query)),
  }));
}

function fixedCommands(cluster: Cluster | null): Command[] {
  const screens = SCREENS.flatMap((screen): Command[] => {
    if (cluster === null || screen.nav === undefined || !isOffered(screen, cluster)) return [];
    const command: Command = {
      id: screen.path,
      title: t(screen.title),
      kind: t("palette.screen"),
      icon: screen.nav.icon,
      run: () => navigate(build(screen.path, { cluster: cluster.id })),
    };
    return [screen.shortcut === undefined ? command : { ...command, keys: `g ${screen.shortcut}` }];
  });
  return [
    ...screens,
    ...actions(cluster),
    ...(clusters.get() ?? []).map((each): Command => ({
      id: `cluster ${each.id}`,
      title: each.name,
      kind: t("palette.cluster"),
      icon: "brokers",
      run: () => navigate(build("/clusters/:cluster", { cluster: each.id })),
    })),
    ...THEMES.map((each): Command => ({ id: `theme ${each}`, title: t(`theme.${each}`), kind: t("theme.label"), icon: "auto", run: () => setTheme(each) })),
    ...LANGUAGES.map((each): Command => ({ id: each.id, title: each.name, kind: t("language.label"), icon: "language", run: () => void setLanguage(each.id) })),
    { id: "keys", title: t("keys.title"), kind: "", icon: "keyboard", keys: "?", run: openKeys },
    { id: "components", title: t("components.title"), kind: t("palette.screen"), icon: "components", run: () => navigate("/components") },
  ];
}

/** Topics, groups, subjects and brokers with the text in their names; what cannot be asked for is left out. */
async function things({ id: cluster, has }: Cluster, q: string, signal: AbortSignal): Promise<Command[]> {
  const query = { q, page_size: FOUND_MAX };
  const [topics, groups, subjects, brokers] = await Promise.allSettled([
    get<Page<TopicRow>>(path`/clusters/${cluster}/topics`, query, signal),
    get<Page<GroupRow>>(path`/clusters/${cluster}/groups`, query, signal),
    has.schema_registry ? get<Page<SubjectRow>>(path`/clusters/${cluster}/schemas`, query, signal) : Promise.reject(),
    // They have numbers and addresses; people say "broker 2".
    get<Page<BrokerRow>>(path`/clusters/${cluster}/brokers`, { ...query, q: q.replace(/^bro?k?e?r?s?\s*/i, "") }, signal),
  ]);
  return [
    ...(topics.status === "fulfilled" ? topics.value.items : []).map((each): Command => ({
      id: `topic ${each.name}`,
      title: each.name,
      kind: t("topic.title"),
      icon: "topics",
      run: () => navigate(build("/clusters/:cluster/topics/:topic", { cluster, topic: each.name })),
    })),
    ...(groups.status === "fulfilled" ? groups.value.items : []).map((each): Command => ({
      id: `group ${each.id}`,
      title: each.id,
      kind: t("group.title"),
      icon: "groups",
      run: () => navigate(build("/clusters/:cluster/groups/:group", { cluster, group: each.id })),
    })),
    ...(subjects.status === "fulfilled" ? subjects.value.items : []).map((each): Command => ({
      id: `subject ${each.subject}`,
      title: each.subject,
      kind: t("schemas.subject"),
      icon: "schemas",
      run: () => navigate(build("/clusters/:cluster/schemas/:subject", { cluster, subject: each.subject })),
    })),
    ...(brokers.status === "fulfilled" ? brokers.value.items : []).map((each): Command => ({
      id: `broker ${each.id}`,
      title: `${t("broker.name", { id: String(each.id) })} · ${each.host}:${each.port}`,
      kind: t("broker.title"),
      icon: "brokers",
      run: () => navigate(build("/clusters/:cluster/brokers/:broker", { cluster, broker: String(each.id) })),
    })),
  ];
}
