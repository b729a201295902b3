// The command line that moves a group as the form says.
import type { Cluster } from "../../api/clusters";
import type { Group, ResetRow, ResetTo } from "../../api/groups";
import { quoted } from "../../format/shell";
import { groupTool } from "./group_tool";
import { partitionsOf, type ResetForm } from "./reset_request";

const FILE = "offsets.csv";

/** `rows`: what the preview has found, for what the tool cannot work out by itself. */
export function resetCommand(cluster: Cluster, group: Pick<Group, "id" | "type">, form: ResetForm, rows: readonly ResetRow[]): { command?: string } {
  const reset = (...words: string[]): string => groupTool(cluster, group.type, "--group", group.id, "--reset-offsets", ...words, "--execute");
  // The tool for share groups goes by ends and times alone.
  if (group.type === "share" && (form.to === "offset" || form.to === "shift" || form.to === "group")) return {};
  if (form.to === "group") {
    if (rows.length === 0) return {};
    const lines = rows.map((row) => `${row.topic},${row.partition},${row.new}\n`).join("");
    return { command: `printf %s ${quoted(lines)} > ${FILE}\n${reset("--from-file", FILE)}` };
  }
  const to: Record<Exclude<ResetTo, "group">, string[]> = {
    earliest: ["--to-earliest"],
    latest: ["--to-latest"],
    offset: ["--to-offset", form.value],
    shift: ["--shift-by", form.value],
    time: ["--to-datetime", form.to === "time" && form.value !== "" ? isoTime(form.value) : ""],
  };
  return { command: reset(...topicWords(form), ...to[form.to]) };
}

/** The tool knows no ranges of partitions. */
function topicWords({ topic, partitions }: ResetForm): string[] {
  if (topic === "") return ["--all-topics"];
  const some = partitions.trim() === "" ? null : partitionsOf(partitions);
  return ["--topic", some === null ? topic : `${topic}:${some.join(",")}`];
}

function isoTime(field: string): string {
  const date = new Date(field);
  return Number.isNaN(date.getTime()) ? field : date.toISOString().replace("Z", "");
}
