import { defineConfig } from "vitest/config";
import { licences } from "./tools/licences.mjs";

// Where `npm run dev` finds the API: `npm run fixtures`, or a console that runs.
const api = process.env["RIACHO_CONSOLE"] ?? "http://127.0.0.1:9321";

export default defineConfig({
  plugins: [licences()],
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  server: { host: "127.0.0.1", proxy: { "/api": { target: api, changeOrigin: true, headers: { origin: api } } } },
  build: {
    outDir: process.env["RIACHO_STATIC"] ?? "../src/riacho/console/static",
    emptyOutDir: true,
    // light-dark(), container queries and :has() need no translation from here on.
    target: ["chrome123", "firefox128", "safari17.5"],
    // A data: URL would need a hole in the Content-Security-Policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // One sheet: rules do not depend on which screen came first.
    cssCodeSplit: false,
    sourcemap: false,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 600,
    rolldownOptions: {
      output: {
        // What every screen uses is one file, not thirty small ones. What is large has a folder of its own and stays apart.
        codeSplitting: { groups: [{ name: "shared", test: /\/node_modules\/preact\/|\/src\/(?:components|api|format|shell|i18n\/(?:en|text))[/.](?!lazy_parts\/)/ }] },
      },
    },
  },
  test: { include: ["tests/**/*.test.ts", "tests/**/*.test.tsx"], environment: "node", css: true },
});
