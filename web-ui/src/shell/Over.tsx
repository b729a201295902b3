// The command palette and the help, whose code comes when they are first opened.
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Cluster } from "../api/clusters";
import { useStore } from "../store";
import { over } from "./doors";

type Shown = ComponentType<{ cluster: Cluster | null; onClose(): void }>;

const LOADERS = { palette: () => import("./CommandPalette"), keys: () => import("./KeysHelp") };
const loaded = new Map<string, Shown>();

export function Over({ cluster }: { cluster: Cluster | null }) {
  const which = useStore(over);
  const [, setTurn] = useState(0);
  useEffect(() => {
    if (which === null || loaded.has(which)) return;
    LOADERS[which]().then(
      (module) => {
        loaded.set(which, module.default as Shown);
        setTurn((turn) => turn + 1);
      },
      () => over.set(null),
    );
  }, [which]);
  const Component = which === null ? undefined : loaded.get(which);
  return Component === undefined ? null : <Component key={which} cluster={cluster} onClose={() => over.set(null)} />;
}
