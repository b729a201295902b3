// Characters that nobody sees, and that turn what follows around or make two names look like one, are shown as escapes.
const UNSEEN =
  "\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180e\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufeff\\uffa0\\ufff0-\\ufffb\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}";
/** Joiners have a meaning behind a letter of such scripts, a mark (as in Hindi) and a picture. */
const JOINED = "\\p{M}\\p{Script=Arabic}\\p{Script=Syriac}\\p{Script=Mongolian}\\p{Extended_Pictographic}\\p{Emoji_Modifier}";
/** A quick look, without the sets of Unicode: nearly every text has none of them. */
const MAYBE = /[^\n\r\t -~\u00a0-\u00ac\u00ae-\u033f\u0370-\u060f\u4e00-\u9fff\uac00-\ud7a3]/;
const FOUND = new RegExp(`[${UNSEEN}]|(?<![${JOINED}])[\\u200c\\u200d]`, "gu");

export function visible(text: string): string {
  return MAYBE.test(text) ? text.replace(FOUND, escape) : text;
}

function escape(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, "0")}`;
}
