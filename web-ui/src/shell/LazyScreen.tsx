// A screen whose code comes when it is asked for; the old one stays until then, so that nothing flashes.
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ErrorState } from "../components/EmptyState";
import { t } from "../i18n/text";
import type { Screen, ScreenProps } from "../screens/table";
import { Page } from "./Page";

const loaded = new Map<Screen, ComponentType<ScreenProps>>();

export function LazyScreen({ screen, ...props }: ScreenProps & { screen: Screen }) {
  const [, setTurn] = useState(0);
  const [error, setError] = useState<unknown>(null);
  const Shown = loaded.get(screen);
  useEffect(() => {
    setError(null);
    if (loaded.has(screen)) return;
    let isWanted = true;
    screen.load().then(
      (module) => {
        loaded.set(screen, module.default);
        if (isWanted) setTurn((turn) => turn + 1);
      },
      () => isWanted && setError(new Error(t("error.chunk"))),
    );
    return () => {
      isWanted = false;
    };
  }, [screen]);
  if (error !== null) {
    return (
      <Page title={t(screen.title)}>
        <ErrorState error={error} onRetry={() => location.reload()} />
      </Page>
    );
  }
  if (Shown === undefined) return <Page title={t(screen.title)}>{null}</Page>;
  return <Shown {...props} />;
}
