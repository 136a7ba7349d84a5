// Builds the page into one file, with a content security policy that names its script and its style by their digests.
// Invariant: the same sources and versions give the same bytes.
import { createHash } from "node:crypto";
import { defineConfig } from "vite";

const digest = (text) => `'sha256-${createHash("sha256").update(text, "utf8").digest("base64")}'`;

/** Puts script and style into the page, and takes their files away. */
const oneFile = {
  name: "one-file",
  enforce: "post",
  generateBundle(_, bundle) {
    const named = (ending) => Object.keys(bundle).filter((name) => name.endsWith(ending));
    const [[page], [script], [style]] = [".html", ".js", ".css"].map(named);
    const code = bundle[script].code.trim();
    const css = String(bundle[style].source).trim();
    for (const [text, end] of [[code, /<\/script|<!--|@LUCCE-DATA@/i], [css, /<\/style/i]]) {
      if (end.test(text)) throw new Error(`the page would end at ${end}`);
    }
    const policy = [
      "default-src 'none'", `script-src ${digest(code)}`, `style-src ${digest(css)}`, "img-src data:",
      "base-uri 'none'", "form-action 'none'", "require-trusted-types-for 'script'",
    ].join("; ");
    bundle[page].source = String(bundle[page].source)
      .replace(/\s*<script type="module"[^>]*><\/script>/, "")
      .replace(/\s*<link rel="stylesheet"[^>]*>/, "")
      .replace("@POLICY@", () => policy)
      .replace("</head>", () => `<style>${css}</style>\n</head>`)
      .replace("</body>", () => `<script type="module">${code}</script>\n</body>`);
    delete bundle[script];
    delete bundle[style];
  },
};

export default defineConfig({
  plugins: [oneFile],
  build: { target: "es2022", modulePreload: false, assetsInlineLimit: 0, cssCodeSplit: false, reportCompressedSize: false },
  logLevel: "warn",
});
