/** How well a typed text fits a title: 0 not at all; letters in order will do, starts of words are worth more. */
export function score(typed: string, title: string): number {
  const wanted = plain(typed);
  const text = plain(title);
  if (wanted === "") return 1;
  if (text.startsWith(wanted)) return 100 - text.length / 100;
  const at = text.indexOf(wanted);
  if (at > 0) return (/\W/.test(text[at - 1] ?? "") ? 80 : 60) - text.length / 100;
  let from = 0;
  for (const letter of wanted) {
    const next = text.indexOf(letter, from);
    if (next === -1) return 0;
    from = next + 1;
  }
  return 20 - text.length / 100;
}

/** Without case and accents: "topicos" finds "Tópicos". */
function plain(text: string): string {
  return text
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .trim();
}
