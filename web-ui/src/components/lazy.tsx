// A component whose code comes when it is first drawn.
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { t } from "../i18n/text";
import { ErrorState } from "./EmptyState";
import { Skeleton } from "./Skeleton";

export function lazy<Props extends object>(load: () => Promise<{ default: ComponentType<Props> }>): ComponentType<Props> {
  let Loaded: ComponentType<Props> | null = null;
  return function Lazy(props: Props) {
    const [, setTurn] = useState(0);
    const [isFailed, setFailed] = useState(false);
    const [isSlow, setSlow] = useState(false);
    useEffect(() => {
      if (Loaded !== null) return;
      let isWanted = true;
      const slow = setTimeout(() => setSlow(true), 200);
      load().then(
        (module) => {
          Loaded = module.default;
          if (isWanted) setTurn((turn) => turn + 1);
        },
        () => isWanted && setFailed(true),
      );
      return () => {
        isWanted = false;
        clearTimeout(slow);
      };
    }, []);
    if (isFailed) return <ErrorState error={new Error(t("error.chunk"))} onRetry={() => location.reload()} />;
    return Loaded === null ? <Skeleton lines={4} isShown={isSlow} /> : <Loaded {...props} />;
  };
}
