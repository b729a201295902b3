import { Dialog } from "../components/Dialog";
import { t } from "../i18n/text";
import { SCREENS } from "../screens/table";
import "./keys_help.css";

export default function KeysHelp({ onClose }: { onClose(): void }) {
  const rows: [string[], string][] = [
    [["/"], t("keys.search")],
    [["Ctrl", "K"], t("keys.palette")],
    [["?"], t("keys.help")],
    [["↑", "↓"], t("keys.rows")],
    [["Esc"], t("keys.escape")],
    ...SCREENS.flatMap((screen): [string[], string][] => (screen.shortcut === undefined ? [] : [[["g", screen.shortcut], t(screen.title)]])),
  ];
  return (
    <Dialog title={t("keys.title")} onClose={onClose} size="small">
      <dl class="keys-help">
        {rows.map(([keys, meaning]) => (
          <div key={meaning}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
