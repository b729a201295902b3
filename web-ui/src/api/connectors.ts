// Connectors and the plugins that they are made of. Secrets come as dots; sent back as dots they stay what they were.
export interface ConnectorRow {
  name: string;
  type: string;
  class: string;
  state: string;
  worker: string;
  tasks: number;
  tasks_running: number;
  tasks_failed: number;
  /** The first line of why, where something failed. */
  problem: string | null;
  topics: string[];
  dead_letters_topic: string | null;
}

export interface ConnectorTask {
  id: number;
  state: string;
  worker: string;
  trace: string | null;
}

export interface Connector {
  name: string;
  type: string;
  class: string;
  state: string;
  worker: string;
  trace: string | null;
  tasks: ConnectorTask[];
  config: Record<string, string>;
  /** Settings that are shown as dots. */
  hidden: string[];
  /** null: workers do not keep which topics it has used. */
  topics: string[] | null;
  dead_letters_topic: string | null;
}

export interface OffsetPair {
  partition: Record<string, unknown>;
  /** null takes it away. */
  offset: Record<string, unknown> | null;
}

export interface Plugin {
  class: string;
  type: string;
  version: string | null;
}

/** One setting of a plugin. */
export interface Definition {
  name: string;
  type: string;
  required: boolean;
  default_value: string | null;
  importance: string;
  documentation: string;
  group: string | null;
  order_in_group: number;
  width: string;
  display_name: string;
  dependents: string[];
}

export interface PluginForm {
  class: string;
  groups: string[];
  settings: Definition[];
}

export interface Validation {
  error_count: number;
  groups: string[];
  configs: { definition: Definition; value: { name: string; value: string | null; recommended_values: (string | null)[]; errors: string[]; visible: boolean } }[];
}

/** The first line of an error, without the package of its class: what it says should be seen first. */
export function shortError(text: string): string {
  return (text.trim().split("\n")[0] ?? "").replace(/^(?:[a-z][\w]*\.)+(?=[A-Z])/, "");
}

/** What follows the last dot: how people call a class. */
export function shortClass(name: string): string {
  return name.slice(name.lastIndexOf(".") + 1);
}
