// Opens a report in Chromium, once for each state that is asked for, and prints what there is to read: one object a state.
// Arguments: the folder with node_modules, Chromium, the report, and the states. A state is a fragment of the address; behind a blank may stand
// what is done then: `drag:0.2:0.6` selects a part of the timeline, `press:f` presses a key, `focus:CSS`, `blur` and `click:CSS` do that, `text:CSS` waits for a text, `print` is as on paper, and
// `picture:FILE` takes one.
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { readFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";

const [folder, executablePath, file, ...states] = process.argv.slice(2);
const require = createRequire(resolve(folder, "package.json"));
const { chromium } = require("playwright-core");
const axe = await readFile(require.resolve("axe-core/axe.min.js"), "utf8");
const address = pathToFileURL(resolve(file)).href;
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });

/** What is to be read on the page. */
function seen() {
  const text = (element) => element?.textContent ?? "";
  const values = (selector) => [...document.querySelectorAll(selector)].map((element) => element.value);
  const range = document.querySelector(".when .range");
  return {
    tabs: [...document.querySelectorAll("[role=tab]")].map((tab) => ({ kind: text(tab.querySelector(".kind")), value: tab.querySelector("data").value, accuracy: text(tab.querySelector(".accuracy")) })),
    total: values(".when data")[0],
    range: range && [range.dataset.from, range.dataset.to],
    when: text(document.querySelector(".when")),
    found: values(".found data")[0],
    panel: { head: text(document.querySelector(".panel h2")), values: values(".panel dd data"), trace: [...document.querySelectorAll(".panel .trace li")].map(text) },
    heading: { head: text(document.querySelector(".heading h2")), values: values(".heading data") },
    rows: [...document.querySelectorAll("tbody tr")].map((row) => ({ name: text(row.cells[0]), values: [...row.querySelectorAll("td data")].map((value) => value.value), last: text(row.cells[row.cells.length - 1]) })),
    leaks: [...document.querySelectorAll(".leak")].map((leak) => ({ head: text(leak.querySelector("h2")), values: [...leak.querySelectorAll("data")].map((value) => value.value), trace: [...leak.querySelectorAll(".trace li")].map(text) })),
    said: text(document.querySelector(".said")),
    failed: text(document.querySelector(".failed")),
    strangers: document.querySelectorAll("img, iframe, object, embed, link[rel=stylesheet], script:not([type=module])").length,
    hash: location.hash,
    theme: document.documentElement.dataset.theme,
    buttons: [...document.querySelectorAll("button, select, input")].filter((control) => control.checkVisibility()).length,
  };
}

try {
  for (const state of states) {
    const [fragment, ...acts] = state.split(" ");
    const dark = fragment.includes("theme=dark");
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, colorScheme: dark ? "dark" : "light", reducedMotion: "reduce" });
    const [errors, requests] = [[], []];
    page.on("pageerror", (error) => errors.push(String(error)));
    page.on("console", (message) => ["error", "warning"].includes(message.type()) && errors.push(message.text()));
    page.on("dialog", (dialog) => (errors.push(dialog.message()), dialog.dismiss()));
    page.on("request", (request) => request.url().split("#")[0] !== address && !request.url().startsWith("data:") && requests.push(request.url()));
    const began = performance.now();
    await page.goto(`${address}${fragment}`);
    await page.locator("html[data-ready], .failed").first().waitFor({ timeout: 60_000 });
    // What was drawn is on the screen with the second picture.
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    const ms = Math.round(performance.now() - began);
    for (const act of acts) {
      const [name, ...rest] = act.split(":");
      if (name === "press") await page.keyboard.press(rest[0]);
      if (name === "click") await page.locator(rest.join(":")).first().click();
      if (name === "text") await page.locator(rest.join(":")).filter({ hasText: /./ }).first().waitFor();
      if (name === "print") await page.emulateMedia({ media: "print" }).then(() => page.evaluate(() => dispatchEvent(new Event("beforeprint"))));
      if (name === "blur") await page.evaluate(() => document.activeElement.blur());
      if (name === "focus") await page.locator(rest.join(":")).first().focus();
      if (name === "picture" && errors.length > 0) throw new Error(errors.join("\n"));
      if (name === "picture") await page.screenshot({ path: rest[0] });
      if (name === "drag") {
        const { x, y, width } = await page.locator("canvas.timeline").boundingBox();
        const [from, to] = rest.map((part) => x + 12 + (width - 24) * Number(part));
        await page.mouse.move(from, y + 30);
        await page.mouse.down();
        await page.mouse.move((from + to) / 2, y + 30);
        await page.mouse.move(to, y + 30);
        await page.mouse.up();
      }
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    }
    const result = await page.evaluate(seen);
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => window.axe.run());
    const flaws = violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html + " " + node.failureSummary).join(" | ")}`);
    process.stdout.write(`${JSON.stringify({ ...result, ms, errors, requests, flaws })}\n`);
    await page.close();
  }
} finally {
  await browser.close();
}
