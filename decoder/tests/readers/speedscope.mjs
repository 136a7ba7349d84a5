// Opens a file in speedscope, in Chromium, has speedscope save what it has read, and prints that.
// Arguments: the folder with node_modules, Chromium, the file.
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";

const [folder, executablePath, file] = process.argv.slice(2);
const { chromium } = createRequire(join(folder, "package.json"))("playwright-core");
const release = join(folder, "node_modules/speedscope/dist/release");
const types = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".json": "application/json", ".wasm": "application/wasm" };
const server = createServer(async (request, response) => {
  const path = new URL(request.url, "http://localhost").pathname.slice(1) || "index.html";
  try {
    const bytes = await readFile(path === "profile.json" ? file : join(release, path));
    response.writeHead(200, { "content-type": types[extname(path)] ?? "application/octet-stream" }).end(bytes);
  } catch {
    response.writeHead(404).end();
  }
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));
const origin = `http://127.0.0.1:${server.address().port}`;
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
try {
  const page = await browser.newPage();
  const errors = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  await page.goto(`${origin}/#profileURL=${encodeURIComponent(`${origin}/profile.json`)}`);
  // The tabs of its views are there once the file has been read.
  await page.getByText("Left Heavy").waitFor({ timeout: 60_000 });
  const saved = page.waitForEvent("download", { timeout: 60_000 });
  await page.keyboard.press("Control+s");
  const text = await readFile(await (await saved).path(), "utf8");
  if (errors.length > 0) throw new Error(errors.join("\n"));
  process.stdout.write(text);
} finally {
  await browser.close();
  server.close();
}
