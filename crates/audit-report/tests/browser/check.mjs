// Opens pages in Chromium: node check.mjs FOLDER_OF_PAGES FOLDER_FOR_PICTURES [CHROMIUM]
// Every page at desktop and phone width, light and dark. Fails on console messages, requests,
// sideways scrolling, text outside the window, findings of axe (WCAG 2 A and AA, best practice), a
// tab order that is not the reading order, what takes the focus without a name, headings that skip a
// level, missing landmarks, and a page of 200 claims that takes a second to open.
import { createRequire } from "node:module";
import { mkdirSync, readFileSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const require = createRequire(import.meta.url);
const puppeteer = require("puppeteer-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const [pages, pictures, chromium = "/usr/bin/chromium"] = process.argv.slice(2);
mkdirSync(pictures, { recursive: true });

// axe compares every element with every other: these two pages would take it minutes. Their small
// counterparts `hostile-short` and `answer` have the same elements.
const TOO_LARGE_FOR_AXE = ["large", "hostile"];
// Most presses of the tab key that are followed.
const MOST_TABS = 60;
const OPEN_WITHIN_MS = 1000;

const browser = await puppeteer.launch({
  executablePath: chromium,
  args: ["--no-sandbox", "--disable-gpu"],
  protocolTimeout: 300000,
});
let wrong = 0;
const report = (name, what) => { wrong += 1; console.log(`WRONG ${name}: ${what}`); };

async function opened(name, url, width, height, scheme) {
  const page = await browser.newPage();
  page.on("console", (m) => report(name, `console: ${m.text()}`));
  page.on("pageerror", (e) => report(name, `error: ${e.message}`));
  page.on("request", (r) => { if (r.url().split("#")[0] !== url) report(name, `request: ${r.url()}`); });
  await page.setViewport({ width, height });
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
  return page;
}

// As a reader without JavaScript has it: a picture of the first window, the time to open (the best of
// three, since other work may be going on), the accessibility tree, the keyboard.
async function withoutScript(page, name, url, thorough) {
  await page.setJavaScriptEnabled(false);
  const times = [];
  for (let i = 0; i < 3; i += 1) {
    const begun = performance.now();
    await page.goto(url, { waitUntil: "load" });
    await page.screenshot({ path: join(pictures, `${name}.png`) });
    times.push(Math.round(performance.now() - begun));
  }
  const took = Math.min(...times);
  if (name.startsWith("large") && took >= OPEN_WITHIN_MS) report(name, `opened and drawn in ${took} ms`);
  if (thorough) {
    await page.pdf({ path: join(pictures, `${name}.pdf`), preferCSSPageSize: true, timeout: 200000 });
    await tree(page, name);
  }
  return took;
}

// What a screen reader is told, in its order.
async function tree(page, name) {
  const client = await page.createCDPSession();
  await client.send("Accessibility.enable");
  const { nodes } = await client.send("Accessibility.getFullAXTree");
  // The nodes come in no order that a reader has: walk the tree.
  const byId = new Map(nodes.map((n) => [n.nodeId, n]));
  const seen = [];
  const stack = [nodes.find((n) => n.parentId === undefined)];
  while (stack.length > 0) {
    const node = stack.pop();
    if (!node.ignored) seen.push(node);
    for (const id of [...(node.childIds ?? [])].reverse()) if (byId.has(id)) stack.push(byId.get(id));
  }
  const role = (n) => n.role?.value ?? "";
  const called = (n) => (n.name?.value ?? "").trim();
  for (const landmark of ["banner", "navigation", "main", "contentinfo"]) {
    const count = seen.filter((n) => role(n) === landmark).length;
    if (count !== 1) report(name, `${count} landmarks of the kind ${landmark}`);
  }
  let level = 0;
  for (const n of seen.filter((n) => role(n) === "heading")) {
    const here = n.properties?.find((p) => p.name === "level")?.value?.value ?? 0;
    if (here > level + 1) report(name, `a heading of level ${here} after one of ${level}: ${called(n).slice(0, 60)}`);
    if (called(n) === "") report(name, `an empty heading of level ${here}`);
    level = here;
  }
  for (const kind of ["link", "image", "img", "region", "button", "DisclosureTriangle"]) {
    const nameless = seen.filter((n) => role(n) === kind && called(n) === "").length;
    if (nameless > 0) report(name, `${nameless} of the kind ${kind} without a name`);
  }
  const words = seen.filter((n) => role(n) === "StaticText").map(called).join(" ").replace(/\s+/g, " ").toLowerCase();
  const written = await page.$eval("body", (e) => e.textContent.replace(/\s+/g, " ").trim().toLowerCase());
  // Folded parts are not read until they are opened; what is read comes in the order of the text.
  let at = 0;
  for (const word of words.split(" ").filter((w) => w.length > 3)) {
    const found = written.indexOf(word, at);
    if (found < 0) { report(name, `read out of order or not on the page: ${word.slice(0, 60)}`); break; }
    at = found;
  }
  const order = seen.map(role).filter((r) => ["banner", "navigation", "main", "contentinfo"].includes(r));
  console.log(`  ${name}: read as ${order.join(", ")}; ${seen.filter((n) => role(n) === "heading").length} headings`);
  await client.detach();
}

// Tab by tab: the order of the page, a visible ring, nothing that traps.
async function keyboard(page, name) {
  await page.bringToFront();
  let last = -1;
  let count = 0;
  for (; count < MOST_TABS; count += 1) {
    await page.keyboard.press("Tab");
    const at = await page.evaluate(() => {
      const here = document.activeElement;
      if (!here || here === document.body) return null;
      const style = getComputedStyle(here);
      const box = here.getBoundingClientRect();
      return {
        place: [...document.querySelectorAll("*")].indexOf(here),
        what: here.outerHTML.slice(0, 80),
        ring: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2,
        seen: box.width > 0 && box.height > 0 && box.right > 0 && box.left < innerWidth,
      };
    });
    if (at === null) break;
    if (count === 0 && !at.what.includes('class="skip"')) report(name, `the first stop is ${at.what}`);
    if (at.place <= last) report(name, `the focus goes back to ${at.what}`);
    if (!at.ring) report(name, `no ring around ${at.what}`);
    if (!at.seen) report(name, `the focus is out of sight on ${at.what}`);
    last = at.place;
  }
  if (count < 3) report(name, `only ${count} stops`);
  const toggled = await page.evaluate(() => {
    const summary = document.querySelector("summary");
    if (summary) summary.focus();
    return summary ? summary.parentElement.open : null;
  });
  if (toggled !== null) {
    await page.keyboard.press("Enter");
    const now = await page.evaluate(() => document.querySelector("summary").parentElement.open);
    if (now === toggled) report(name, "Enter does not open a fold");
  }
  return count;
}

// With all folds open and all cards laid out: does anything leave the window?
async function layout(page, name, width, height) {
  const out = await page.evaluate(() => {
    for (const d of document.querySelectorAll("details")) d.open = true;
    const style = document.createElement("style");
    style.textContent = ".card{content-visibility:visible!important}";
    document.head.append(style);
    const root = document.documentElement;
    const beyond = [...document.querySelectorAll("body *:not(.skip)")]
      .filter((e) => e.getClientRects().length > 0 && !e.closest("svg") && e.getBoundingClientRect().right > innerWidth + 1);
    const cut = [...document.querySelectorAll(".card,blockquote,pre,h1")].filter((e) => e.scrollWidth > e.clientWidth + 1);
    const show = (e) => e.outerHTML.slice(0, 100);
    return { wide: root.scrollWidth - root.clientWidth, beyond: beyond.slice(0, 3).map(show), cut: cut.slice(0, 3).map(show) };
  });
  if (out.wide > 0) report(name, `scrolls sideways by ${out.wide} px`);
  for (const what of out.beyond) report(name, `stands outside the window: ${what}`);
  for (const what of out.cut) report(name, `is cut at the side: ${what}`);
  const clip = { x: 0, y: 0, width, height: height * 5 };
  await page.screenshot({ path: join(pictures, `${name}-open.png`), clip, captureBeyondViewport: true });
}

async function audit(page, name) {
  await page.evaluate(axe);
  const result = await page.evaluate(() =>
    axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }));
  for (const v of result.violations) {
    report(name, `axe ${v.id} (${v.impact}): ${v.nodes.length} × ${v.help}; first ${v.nodes[0].html.slice(0, 160)}`);
  }
  const contrast = result.passes.find((p) => p.id === "color-contrast")?.nodes.length ?? 0;
  const unsure = result.incomplete.find((p) => p.id === "color-contrast")?.nodes.length ?? 0;
  return `${result.violations.length} findings of axe (contrast measured on ${contrast} elements, not measurable on ${unsure})`;
}

for (const file of readdirSync(pages).filter((f) => f.endsWith(".html")).sort()) {
  const url = pathToFileURL(resolve(pages, file)).href;
  const stem = file.replace(".html", "");
  for (const [size, width, height] of [["desktop", 1280, 900], ["phone", 375, 812]]) {
    for (const scheme of ["light", "dark"]) {
      const name = `${stem}-${size}-${scheme}`;
      const page = await opened(name, url, width, height, scheme);
      const took = await withoutScript(page, name, url, size === "desktop" && scheme === "light");
      // What follows drives the page by script, past its own policy.
      await page.setJavaScriptEnabled(true);
      await page.setBypassCSP(true);
      await page.goto(url, { waitUntil: "load" });
      const stops = await keyboard(page, name);
      await layout(page, name, width, height);
      const findings = TOO_LARGE_FOR_AXE.includes(stem) ? "axe not run" : await audit(page, name);
      console.log(`${name}: opened and drawn in ${took} ms, ${stops} stops of the tab key, ${findings}`);
      await page.close();
    }
  }
}
await browser.close();
console.log(wrong === 0 ? "nothing wrong" : `${wrong} things wrong`);
process.exitCode = wrong === 0 ? 0 : 1;
