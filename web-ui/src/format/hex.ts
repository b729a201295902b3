// Bytes as rows of sixteen: where, in hex, and as ASCII where they are.
export interface HexRow {
  at: string;
  hex: string;
  ascii: string;
}

export const HEX_ROW_BYTES = 16;

export function hexRows(bytes: Uint8Array, most: number): HexRow[] {
  const rows: HexRow[] = [];
  for (let at = 0; at < Math.min(bytes.length, most); at += HEX_ROW_BYTES) {
    const part = [...bytes.subarray(at, Math.min(at + HEX_ROW_BYTES, most))];
    const hex = part.map((byte) => byte.toString(16).padStart(2, "0"));
    rows.push({
      at: at.toString(16).padStart(8, "0"),
      hex: `${hex.slice(0, 8).join(" ")}  ${hex.slice(8).join(" ")}`.padEnd(HEX_ROW_BYTES * 3 + 1),
      ascii: part.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : "·")).join(""),
    });
  }
  return rows;
}

/** What the API gives as hex (`00 0a ff` or `000aff`), as bytes; what is no hex ends it. */
export function bytesOfHex(text: string): Uint8Array {
  const digits = /^[0-9a-fA-F\s]*/.exec(text)?.[0].replace(/\s/g, "") ?? "";
  return Uint8Array.from({ length: Math.floor(digits.length / 2) }, (_, index) => Number.parseInt(digits.slice(index * 2, index * 2 + 2), 16));
}
