import type { ConfigEntry } from "../../api/configs";
import { ConfigTable } from "../../components/ConfigTable";

function entry(name: string, more: Partial<ConfigEntry> = {}): ConfigEntry {
  return { name, value: null, source: "DEFAULT_CONFIG", is_read_only: false, is_sensitive: false, default: null, type: "STRING", about: null, can_change_now: true, ...more };
}

/** Of each source, a secret, one that takes a restart, and one of which nothing is known. */
const ENTRIES: readonly ConfigEntry[] = [
  entry("cleanup.policy", { value: "compact", source: "DYNAMIC_TOPIC_CONFIG", default: "delete", type: "LIST", about: "What becomes of old segments." }),
  entry("retention.ms", { value: "604800000", default: "604800000", type: "LONG", about: "How long records are kept." }),
  entry("segment.bytes", { value: "536870912", source: "DYNAMIC_DEFAULT_BROKER_CONFIG", default: "1073741824", type: "INT" }),
  entry("ssl.key.password", { source: "DYNAMIC_BROKER_CONFIG", is_sensitive: true, type: "PASSWORD" }),
  entry("log.dirs", { value: "/var/lib/riacho", source: "STATIC_BROKER_CONFIG", is_read_only: true, can_change_now: false }),
  entry("of.another.version", { type: null }),
];
const noop = (): void => undefined;

export function ConfigSample() {
  return (
    <div class="gallery-three">
      <div class="panel gallery-table">
        <ConfigTable id="gallery-config" entries={ENTRIES} path="/components" own="DYNAMIC_TOPIC_CONFIG" command={(change) => `kafka-configs --alter ${JSON.stringify(change)}`} onChanged={noop} />
      </div>
      <div class="panel gallery-table">
        <ConfigTable id="gallery-config-waiting" entries={null} isSlow path="/components" own="DYNAMIC_TOPIC_CONFIG" command={() => ""} onChanged={noop} />
      </div>
    </div>
  );
}
