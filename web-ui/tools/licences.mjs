// The licences of the packages whose code is in the built files, in one file beside them.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const PACKAGE = /^(.*\/node_modules\/((?:@[^/]+\/)?[^/]+))\//;

export function licences() {
  return {
    name: "riacho-licences",
    generateBundle(_options, bundle) {
      const found = new Map();
      for (const chunk of Object.values(bundle)) {
        for (const id of Object.keys(chunk.modules ?? {})) {
          const match = PACKAGE.exec(id.replaceAll("\\", "/").replaceAll("\0", ""));
          if (match !== null) found.set(match[2], match[1]);
        }
      }
      const parts = [...found].sort(([one], [other]) => (one < other ? -1 : 1)).map(([name, folder]) => {
        const { version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
        const file = readdirSync(folder).sort().find((each) => /^licen[cs]e/i.test(each));
        const text = file === undefined ? "" : readFileSync(join(folder, file), "utf8").trim();
        return `${name} ${version} (${license})\n\n${text}\n`;
      });
      const rule = `\n${"-".repeat(80)}\n\n`;
      this.emitFile({ type: "asset", fileName: "licences.txt", source: parts.join(rule) });
    },
  };
}
