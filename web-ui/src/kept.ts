// What a browser keeps between visits: the theme, the language, the columns of a table. Never anything secret.
const PREFIX = "riacho.";

export function kept(name: string): string | null {
  try {
    return localStorage.getItem(PREFIX + name);
  } catch {
    return null;
  }
}

export function keep(name: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(PREFIX + name);
    else localStorage.setItem(PREFIX + name, value);
  } catch {
    // Storage may be forbidden or full; the choice holds until the page is closed.
  }
}
