// JSON as a tree: parts fold, a click on a name copies its path. A text that is no JSON is shown as it is.
import { useMemo, useState } from "preact/hooks";
import { type JsonNode, jsonPath, parseJson } from "../format/json_text";
import { t } from "../i18n/text";
import { copy } from "./CopyAs";
import "./json_view.css";

const OPEN_DEPTH = 3;
const CHILDREN_STEP = 200;

export function JsonView({ text }: { text: string }) {
  const root = useMemo(() => parseJson(text), [text]);
  if (root === null) return <pre class="json-text">{text}</pre>;
  return (
    <div class="json" role="tree" aria-label="JSON">
      <Node node={root} name={null} path={[]} isLast />
    </div>
  );
}

interface NodeProps {
  node: JsonNode;
  name: string | null;
  path: readonly (string | number)[];
  isLast: boolean;
}

function Node({ node, name, path, isLast }: NodeProps) {
  const [isOpen, setOpen] = useState(path.length < OPEN_DEPTH);
  const [shown, setShown] = useState(CHILDREN_STEP);
  const label = name === null ? null : <Name name={name} path={path} />;
  const comma = isLast ? "" : ",";
  if (node.kind !== "object" && node.kind !== "array") {
    return (
      <div class="json-line" role="treeitem">
        {label}
        <span class={`json-${node.kind}`}>{node.kind === "string" ? JSON.stringify(node.text) : node.text}</span>
        {comma}
      </div>
    );
  }
  const [first, last] = node.kind === "object" ? ["{", "}"] : ["[", "]"];
  const children: [string | null, string | number, JsonNode][] =
    node.kind === "object" ? node.entries.map(([key, each]) => [key, key, each]) : node.items.map((each, index) => [null, index, each]);
  if (children.length === 0) {
    return (
      <div class="json-line" role="treeitem">
        {label}
        {first + last + comma}
      </div>
    );
  }
  return (
    <div role="treeitem" aria-expanded={isOpen}>
      <div class="json-line">
        <button type="button" class="json-fold" aria-expanded={isOpen} aria-label={`${jsonPath(path)}: ${t("json.closed", { n: children.length })}`} onClick={() => setOpen(!isOpen)} />
        {label}
        {first}
        {!isOpen && (
          <>
            <span class="soft json-closed">{t("json.closed", { n: children.length })}</span>
            {last + comma}
          </>
        )}
      </div>
      {isOpen && (
        <>
          <div class="json-inner" role="group">
            {children.slice(0, shown).map(([key, part, each], index) => (
              <Node key={index} node={each} name={key} path={[...path, part]} isLast={index === children.length - 1} />
            ))}
            {children.length > shown && (
              <button type="button" class="button quiet" onClick={() => setShown(shown + CHILDREN_STEP)}>
                {t("json.more", { n: children.length - shown })}
              </button>
            )}
          </div>
          <div class="json-line">{last + comma}</div>
        </>
      )}
    </div>
  );
}

function Name({ name, path }: { name: string; path: readonly (string | number)[] }) {
  const where = jsonPath(path);
  return (
    <>
      <button type="button" class="json-name" title={t("json.copy_path", { path: where })} onClick={() => void copy(where)}>
        {JSON.stringify(name)}
      </button>
      {": "}
    </>
  );
}
