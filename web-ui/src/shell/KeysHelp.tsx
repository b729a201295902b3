import { useState } from "preact/hooks";
import { Dialog } from "../components/Dialog";
import { t } from "../i18n/text";
import { SCREENS } from "../screens/table";
import { areLettersOn, keysHere, setLetters } from "./keys";
import "./keys_help.css";

export default function KeysHelp({ onClose }: { onClose(): void }) {
  // Of the screen as it was when the help was opened.
  const [rows] = useState((): [string[], string][] => [
    [["/"], t("keys.search")],
    [["Ctrl", "K"], t("keys.palette")],
    [["?"], t("keys.help")],
    [["j", "k"], t("keys.rows")],
    ...keysHere().map(([key, meaning]): [string[], string] => [[key], meaning]),
    [["Esc"], t("keys.escape")],
    ...SCREENS.flatMap((screen): [string[], string][] => (screen.shortcut === undefined ? [] : [[["g", screen.shortcut], t(screen.title)]])),
  ]);
  const [isOn, setOn] = useState(areLettersOn());
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
      <label class="check keys-letters">
        <input
          type="checkbox"
          checked={isOn}
          onChange={(event) => {
            setOn(event.currentTarget.checked);
            setLetters(event.currentTarget.checked);
          }}
        />
        {t("keys.letters")}
      </label>
    </Dialog>
  );
}
