import { useMemo } from "preact/hooks";
import { hexRows } from "../format/hex";
import { t } from "../i18n/text";
import "./hex_view.css";

const SHOWN_BYTES_MAX = 16 * 1024;

export function HexView({ bytes }: { bytes: Uint8Array }) {
  const rows = useMemo(() => hexRows(bytes, SHOWN_BYTES_MAX), [bytes]);
  return (
    <div>
      <pre class="hex" tabIndex={0} aria-label="Hex">
        {rows.map((row) => (
          <div key={row.at}>
            <span class="soft">{row.at}</span>
            {`  ${row.hex}  `}
            <span class="hex-ascii">{row.ascii}</span>
          </div>
        ))}
      </pre>
      {bytes.length > SHOWN_BYTES_MAX && <p class="soft small">{t("hex.cut", { shown: SHOWN_BYTES_MAX, total: bytes.length })}</p>}
    </div>
  );
}
