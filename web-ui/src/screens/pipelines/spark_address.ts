// An address that a service told: a link is made of one of http alone, whatever it says.
export function webAddress(text: string | null | undefined): URL | null {
  if (text === null || text === undefined) return null;
  try {
    const url = new URL(text);
    return (url.protocol === "http:" || url.protocol === "https:") && url.username === "" && url.password === "" ? url : null;
  } catch {
    return null;
  }
}

/** Only who sits at that machine gets there. */
export function isLoopback(url: URL): boolean {
  return url.hostname === "localhost" || url.hostname === "[::1]" || url.hostname.startsWith("127.");
}
