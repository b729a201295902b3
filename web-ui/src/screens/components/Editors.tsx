import { useState } from "preact/hooks";
import { CodeEditor } from "../../components/CodeEditor";
import { toast } from "../../components/toasts";
import { BEFORE } from "./sample_texts";

const WRONG = "SELECT id FROMM orders;";
const TWO = "SHOW STREAMS;\n\nSELECT id\nFROM orders;";

export function Editors() {
  const [query, setQuery] = useState("SELECT region, COUNT(*) AS orders\nFROM orders_created\nWINDOW TUMBLING (SIZE 1 MINUTE)\nWHERE paid = true -- only those\nGROUP BY region EMIT CHANGES;");
  return (
    <div class="gallery-three">
      <CodeEditor label="SQL" value={query} language="sql" onChange={setQuery} onRun={(text) => toast({ text })} words={["orders_created", "region"]} />
      <CodeEditor label="JSON" value={BEFORE} language="json" />
      <CodeEditor label="Protobuf" value={'syntax = "proto3";\n\nmessage Order {\n  string id = 1; // of the shop\n}'} language="protobuf" />
      <CodeEditor label="Wrong" value={WRONG} language="sql" wrong={{ from: WRONG.indexOf("FROMM"), to: WRONG.indexOf(" orders"), message: "Expecting FROM." }} />
      <CodeEditor label="What would be run" value={TWO} language="sql" meant={{ from: TWO.indexOf("SELECT"), to: TWO.length }} />
      <CodeEditor label="Read only" value="as it is" language="text" isReadOnly />
    </div>
  );
}
