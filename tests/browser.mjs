#!/usr/bin/env node
// The HTML report in a real browser: it renders, sorts, tells figures, follows width and mode, and asks for nothing.
//
//   node tests/browser.mjs target/debug/pagepress [FOLDER FOR SCREENSHOTS]
//
// Drives Chromium through its debugging pipe, so that no package is needed. Exit code 77: there is no Chromium.

import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import assert from 'node:assert/strict';

const [program, shots] = process.argv.slice(2).map((path) => resolve(path));
const root = resolve(import.meta.dirname ?? new URL('.', import.meta.url).pathname, '..');
const names = [process.env.CHROME, 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const browser = names.find((name) => name && spawnSync(name, ['--version'], { stdio: 'ignore' }).status === 0);
if (!browser) {
  console.error('no Chromium found (Debian: apt-get install chromium; or name one in CHROME)');
  process.exit(77);
}

const folder = mkdtempSync(join(tmpdir(), 'pagepress-browser-'));
const chrome = spawn(
  browser,
  ['--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run', '--hide-scrollbars',
    `--user-data-dir=${join(folder, 'profile')}`, '--remote-debugging-pipe', 'about:blank'],
  // A group of its own: its helpers must end with it.
  { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'], detached: true },
);
const deadline = setTimeout(() => { console.error('the browser took longer than 120 s'); finish(1); }, 120_000);

function finish(code) {
  clearTimeout(deadline);
  chrome.once('exit', () => removed(50).then(() => process.exit(code)));
  process.kill(-chrome.pid, 'SIGKILL');
}

/** The folder goes when the browser's last helper has ended: until then one may still write into its profile. */
async function removed(tries) {
  for (let left = tries; left > 0; left -= 1) {
    try {
      rmSync(folder, { recursive: true, force: true });
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  console.error(`left behind: ${folder}`);
}

// Messages end with a zero byte.
const waiting = new Map();
const listeners = [];
let last = 0;
let rest = Buffer.alloc(0);
chrome.stdio[4].on('data', (bytes) => {
  rest = Buffer.concat([rest, bytes]);
  for (let end = rest.indexOf(0); end >= 0; end = rest.indexOf(0)) {
    const message = JSON.parse(rest.subarray(0, end).toString());
    rest = rest.subarray(end + 1);
    const answer = waiting.get(message.id);
    if (!answer) listeners.forEach((listen) => listen(message));
    else if (message.error) answer.reject(new Error(JSON.stringify(message.error)));
    else answer.resolve(message.result);
    waiting.delete(message.id);
  }
});
function send(method, params = {}, sessionId) {
  last += 1;
  const id = last;
  chrome.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
  return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
}

function pagepress(args, options = {}) {
  const run = spawnSync(program, args, { encoding: 'utf8', maxBuffer: 1 << 28, ...options });
  assert.equal(run.status, 0, `pagepress ${args.join(' ')}: ${run.stderr}`);
  return run.stdout;
}

/** A page that is open, with all it said and asked for. */
async function open(file) {
  const { targetId } = await send('Target.createTarget', { url: 'about:blank' });
  const { sessionId } = await send('Target.attachToTarget', { targetId, flatten: true });
  const page = { said: [], asked: [] };
  let loaded;
  const whole = new Promise((resolve) => { loaded = resolve; });
  listeners.push((message) => {
    if (message.sessionId !== sessionId) return;
    if (message.method === 'Network.requestWillBeSent') page.asked.push(message.params.request.url);
    if (message.method === 'Runtime.exceptionThrown') page.said.push(JSON.stringify(message.params.exceptionDetails));
    if (message.method === 'Runtime.consoleAPICalled') page.said.push(JSON.stringify(message.params.args));
    if (message.method === 'Log.entryAdded') page.said.push(message.params.entry.text);
    if (message.method === 'Page.loadEventFired') loaded();
  });
  page.do = (method, params) => send(method, params, sessionId);
  for (const domain of ['Network', 'Runtime', 'Log', 'Page']) await page.do(`${domain}.enable`);
  page.width = (width) => page.do('Emulation.setDeviceMetricsOverride', { width, height: 900, deviceScaleFactor: 1, mobile: width < 600 });
  await page.width(1280);
  page.url = pathToFileURL(file).href;
  await page.do('Page.navigate', { url: page.url });
  await whole;
  page.eval = async (expression) => {
    const { result, exceptionDetails } = await page.do('Runtime.evaluate', { expression, returnByValue: true });
    assert.equal(exceptionDetails, undefined, expression);
    return result.value;
  };
  page.key = async (key) => {
    const text = key === 'Enter' ? '\r' : undefined;
    await page.do('Input.dispatchKeyEvent', { type: 'keyDown', key, text });
    await page.do('Input.dispatchKeyEvent', { type: 'keyUp', key });
  };
  page.shot = async (name) => {
    if (!shots) return;
    const { data } = await page.do('Page.captureScreenshot', { captureBeyondViewport: true });
    writeFileSync(join(shots, name), Buffer.from(data, 'base64'));
  };
  page.silent = () => {
    assert.deepEqual(page.said, [], 'console');
    const outside = page.asked.filter((url) => url !== page.url && !/^(data|blob):/.test(url));
    assert.deepEqual(outside, [], 'requests');
  };
  return page;
}

const column = (head) => `(() => {
  const table = document.querySelector('table:has(th button)');
  const at = [...table.tHead.rows[0].cells].findIndex((cell) => cell.textContent === ${JSON.stringify(head)});
  return [...table.tBodies[0].rows].map((row) => row.cells[at].dataset.v);
})()`;

async function figures() {
  const sample = join(root, 'data/samples/flights.bson');
  const args = ['estimate', '-q', '--no-timing', '--walk', sample, '-c', 'none,snappy,zlib,zstd:1,zstd:3,zstd:6'];
  const file = join(folder, 'flights.html');
  pagepress([...args, '-o', 'html', '--out', file]);
  const page = await open(file);
  assert.match(await page.eval('document.querySelector(".headline").textContent'), /^flights: 5,000 documents/);
  assert.ok(await page.eval('document.querySelectorAll("figure svg").length') >= 4, 'plots');
  await page.shot('estimate-1280.png');

  // Sorting: by mouse, then by keyboard; numbers as numbers.
  const head = 'document.querySelectorAll("th button")[2]';
  await page.eval(`${head}.click()`);
  const rising = (await page.eval(column('storage'))).map(Number);
  assert.deepEqual(rising, [...rising].sort((a, b) => a - b));
  assert.equal(await page.eval(`${head}.closest('th').getAttribute('aria-sort')`), 'ascending');
  await page.eval(`${head}.focus()`);
  await page.key('Enter');
  const falling = (await page.eval(column('storage'))).map(Number);
  assert.deepEqual(falling, [...rising].reverse().sort((a, b) => b - a));
  assert.equal(await page.eval(`${head}.closest('th').getAttribute('aria-sort')`), 'descending');

  // A mark tells its figure when it is pointed at, and when the arrow keys reach it.
  const at = await page.eval(`(() => {
    const mark = document.querySelector('.tip');
    mark.scrollIntoView({ block: 'center' });
    const { left, top, width, height } = mark.getBoundingClientRect();
    return { x: left + width / 2, y: top + height / 2 };
  })()`);
  await new Promise((resolve) => setTimeout(resolve, 100));
  await page.do('Input.dispatchMouseEvent', { type: 'mouseMoved', x: at.x, y: at.y });
  const tip = 'document.getElementById("tip").hidden ? null : document.getElementById("tip").textContent';
  assert.match(await page.eval(tip), /^none settled, leaf page 32 KiB: 1\.\d+ MiB/);
  await page.do('Input.dispatchMouseEvent', { type: 'mouseMoved', x: 2, y: 2 });
  assert.equal(await page.eval(tip), null);
  await page.eval('document.querySelector("figure svg").focus()');
  await page.key('ArrowRight');
  const first = await page.eval(tip);
  await page.key('ArrowRight');
  assert.notEqual(await page.eval(tip), first);
  await page.key('Escape');
  assert.equal(await page.eval(tip), null);

  // The JSON that is saved is the one that the command would have written.
  await send('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: folder });
  await page.eval('document.getElementById("save").click()');
  const saved = join(folder, 'pagepress-estimate.json');
  for (let waits = 0; !existsSync(saved) && waits < 100; waits += 1) await new Promise((resolve) => setTimeout(resolve, 100));
  assert.ok(existsSync(saved), `no download: ${readdirSync(folder)}`);
  const direct = JSON.parse(pagepress([...args, '-o', 'json']));
  const back = JSON.parse(readFileSync(saved, 'utf8'));
  delete direct.timing;
  delete back.timing;
  assert.deepEqual(back, direct);

  // Narrow screens scroll tables and plots, never the page. Dark mode turns page and plots.
  await page.eval('scrollTo(0, 0)');
  await page.width(360);
  assert.ok(await page.eval('document.documentElement.scrollWidth') <= 360, 'the page is wider than 360 px');
  await page.shot('estimate-360.png');
  const ground = 'getComputedStyle(document.querySelector("figure svg rect")).fill';
  const light = await page.eval(ground);
  await page.do('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: 'dark' }] });
  assert.notEqual(await page.eval(ground), light);
  await page.width(1280);
  await page.shot('estimate-dark.png');
  page.silent();
}

/** Names that would be markup, if anything took them for it. */
async function hostile() {
  const name = `<script>hacked=1<` + `img src=x onerror=hacked=1>"'&`;
  const field = `</script><script>hacked=1</script>\u2028<svg onload=hacked=1>`;
  const input = join(folder, `${name}.json`);
  const key = '<script>hacked=1';
  writeFileSync(input, Array.from({ length: 50 }, (_, id) => JSON.stringify({ _id: id, [field]: id, [key]: 'x' })).join('\n'));
  const file = join(folder, 'hostile.html');
  const index = JSON.stringify({ key: { [field]: 1 }, name: field });
  pagepress(['estimate', '-q', '--no-timing', input, '--index', index, '-o', 'html', '--out', file]);
  const page = await open(file);
  assert.equal(await page.eval('typeof hacked'), 'undefined');
  assert.equal(await page.eval('document.querySelectorAll("script").length'), 2);
  assert.equal(await page.eval('document.querySelectorAll("img, svg svg, [onload], [onerror]").length'), 0);
  assert.equal(await page.eval('document.querySelector("h2").textContent'), name);
  const report = JSON.parse(await page.eval('document.getElementById("report").textContent'));
  assert.equal(report.collections[0].name, name);
  assert.ok(report.collections[0].indexes.some((row) => row.name === field));
  page.silent();
}

try {
  await figures();
  await hostile();
  console.log('html report: renders, sorts, tells, saves, fits 360 px, asks for nothing');
  finish(0);
} catch (error) {
  console.error(error);
  finish(1);
}
