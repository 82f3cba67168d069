// Opens pages in Chromium: node check.mjs FOLDER_OF_PAGES FOLDER_FOR_PICTURES [CHROMIUM]
// Fails on console messages, requests, sideways scrolling and findings of axe (WCAG 2 A and AA).
import { createRequire } from "node:module";
import { mkdirSync, readFileSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const require = createRequire(import.meta.url);
const puppeteer = require("puppeteer-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const [pages, pictures, chromium = "/usr/bin/chromium"] = process.argv.slice(2);
mkdirSync(pictures, { recursive: true });

const browser = await puppeteer.launch({
  executablePath: chromium,
  args: ["--no-sandbox", "--disable-gpu"],
  protocolTimeout: 300000,
});
let wrong = 0;
const report = (name, what) => { wrong += 1; console.log(`${name}: ${what}`); };

for (const file of readdirSync(pages).filter((f) => f.endsWith(".html")).sort()) {
  const url = pathToFileURL(resolve(pages, file)).href;
  for (const [size, width, height] of [["desktop", 1280, 900], ["phone", 375, 812]]) {
    for (const scheme of ["light", "dark"]) {
      const name = `${file.replace(".html", "")}-${size}-${scheme}`;
      const page = await browser.newPage();
      page.on("console", (m) => report(name, `console: ${m.text()}`));
      page.on("pageerror", (e) => report(name, `error: ${e.message}`));
      page.on("request", (r) => { if (r.url() !== url) report(name, `request: ${r.url()}`); });
      await page.setViewport({ width, height });
      await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
      // As a reader without JavaScript has it.
      await page.setJavaScriptEnabled(false);
      const begun = performance.now();
      await page.goto(url, { waitUntil: "load" });
      const took = Math.round(performance.now() - begun);
      await page.screenshot({ path: join(pictures, `${name}.png`) });
      if (size === "desktop" && scheme === "light") {
        await page.pdf({ path: join(pictures, `${name}.pdf`), preferCSSPageSize: true, timeout: 120000 });
      }
      // axe needs JavaScript, past the page's own policy.
      await page.setJavaScriptEnabled(true);
      await page.setBypassCSP(true);
      await page.goto(url, { waitUntil: "load" });
      const wide = await page.evaluate(() => {
        for (const d of document.querySelectorAll("details")) d.open = true;
        const root = document.documentElement;
        return root.scrollWidth - root.clientWidth;
      });
      if (wide > 0) report(name, `scrolls sideways by ${wide} px`);
      await page.screenshot({ path: join(pictures, `${name}-open.png`), clip: { x: 0, y: 0, width, height: height * 5 }, captureBeyondViewport: true });
      let findings = "not run";
      if (!file.startsWith("large") && file !== "hostile.html") {
        await page.evaluate(axe);
        const result = await page.evaluate(() =>
          axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }));
        findings = result.violations.length;
        for (const v of result.violations) {
          report(name, `axe ${v.id} (${v.impact}): ${v.nodes.length} × ${v.help}; first ${v.nodes[0].html.slice(0, 160)}`);
        }
      }
      console.log(`${name}: opened in ${took} ms, axe findings ${findings}`);
      await page.close();
    }
  }
}
await browser.close();
process.exitCode = wrong === 0 ? 0 : 1;
