// What a browser fetches before it shows a first screen, compressed; too much fails the build.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { gzipSync } from "node:zlib";

const BYTES_MAX = 100_000;
const folder = process.argv[2] ?? process.env.RIACHO_STATIC ?? "../src/riacho/console/static";

const page = readFileSync(join(folder, "index.html"), "utf8");
const waiting = ["index.html", ...[...page.matchAll(/(?:src|href)="\/([^"]+)"/g)].map((match) => match[1])];
// The screen that opens by itself.
waiting.push(...readdirSync(join(folder, "assets")).filter((name) => name.startsWith("OverviewScreen-")).map((name) => `assets/${name}`));
const sizes = new Map();
while (waiting.length > 0) {
  const name = waiting.pop();
  if (sizes.has(name)) continue;
  const bytes = readFileSync(join(folder, name));
  sizes.set(name, gzipSync(bytes, { level: 6 }).length);
  if (!name.endsWith(".js")) continue;
  // Static imports alone: `import(...)` waits for a screen that asks for it.
  for (const match of bytes.toString("utf8").matchAll(/(?:from|import)\s*"(\.[^"]+\.js)"/g)) {
    waiting.push(normalize(join(dirname(name), match[1])));
  }
}
const total = [...sizes.values()].reduce((sum, size) => sum + size, 0);
for (const [name, size] of [...sizes].sort((one, other) => other[1] - one[1])) console.log(`${String(size).padStart(8)} ${name}`);
console.log(`first load: ${(total / 1000).toFixed(1)} KB of ${BYTES_MAX / 1000} KB, gzip`);
if (total > BYTES_MAX) {
  console.error("the first load is too large: make what is not needed at once a lazy import");
  process.exit(1);
}
