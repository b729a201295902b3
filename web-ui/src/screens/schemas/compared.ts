/** The versions that the URL names; else the latest and the one before it. */
export function compared(versions: readonly number[], from: string | null, to: string | null): { from: number; to: number } {
  const named = (text: string | null): number | undefined => versions.find((each) => String(each) === text);
  const last = versions.at(-1) ?? 1;
  const right = named(to) ?? last;
  const before = versions.at(versions.indexOf(right) - 1);
  return { from: named(from) ?? (before !== undefined && before < right ? before : (versions[0] ?? 1)), to: right };
}
