// Starts msd view and a browser for the tests of the page, and watches both.
import { spawn, execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { chromium } from "playwright-core";

export const tool = process.env.MSD_TOOL;
export const scenes = path.join(process.env.MSD_SOURCE_DIR, "scenes");
const run = promisify(execFile);

/** Runs the tool; answers with its exit code and what it wrote. */
export async function msd(...words) {
  try {
    const { stdout, stderr } = await run(tool, words, { maxBuffer: 64 << 20 });
    return { code: 0, stdout, stderr };
  } catch (error) {
    return { code: error.code, stdout: error.stdout, stderr: error.stderr };
  }
}

/** A server that shows a file, until end() is called. */
export async function view(file, ...options) {
  const port = options.includes("--port") ? [] : ["--port", "0"];
  const child = spawn(tool, ["view", file, ...port, ...options], { stdio: ["ignore", "pipe", "pipe"] });
  let errors = "";
  child.stderr.on("data", (data) => (errors += data));
  const url = await new Promise((resolve, reject) => {
    let text = "";
    child.stdout.on("data", (data) => {
      text += data;
      const found = text.match(/http:\S+/);
      if (found) resolve(found[0]);
    });
    child.on("exit", (code) => reject(new Error(`msd view ended with ${code}: ${errors}`)));
  });
  const ended = new Promise((resolve) => child.on("exit", resolve));
  return {
    url,
    pid: child.pid,
    async end() {
      child.kill("SIGINT");
      return ended;
    },
  };
}

export async function startBrowser() {
  return chromium.launch({
    executablePath: process.env.MSD_CHROMIUM,
    args: ["--no-sandbox", "--disable-dev-shm-usage", "--enable-unsafe-swiftshader", "--disable-background-networking"],
  });
}

/** A page that notes what it complains about and whom it asks. */
export async function openPage(browser, url, { width = 880, height = 560, query = "?plain" } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, acceptDownloads: true });
  const page = await context.newPage();
  const problems = [];
  const strangers = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") {
      // What the software renderer of a machine without a graphics card says about itself.
      if (!/GPU stall|swiftshader|GL Driver/i.test(message.text())) problems.push(message.text());
    }
  });
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("request", (request) => {
    const { protocol, hostname } = new URL(request.url());
    if (!["blob:", "data:"].includes(protocol) && hostname !== "127.0.0.1") strangers.push(request.url());
  });
  page.on("websocket", (socket) => {
    if (new URL(socket.url()).hostname !== "127.0.0.1") strangers.push(socket.url());
  });
  await page.goto(url + query);
  await page.waitForFunction(() => window.msd?.poses && window.msd.scene);
  return { page, context, problems, strangers };
}

/** Sends a wish and waits until the page shows what a condition asks for. */
export async function ask(page, wish, condition, argument) {
  await page.evaluate((message) => window.msd.connection.send(message), wish);
  await page.waitForFunction(condition, argument);
}

export const pause = (page) => ask(page, { c: "pause" }, () => window.msd.state.playing === false);

/** Steps on to a step, from wherever it stands. */
export async function goTo(page, step) {
  await pause(page);
  const now = await page.evaluate(() => window.msd.poses.index);
  if (now !== step) await page.evaluate((count) => window.msd.connection.send({ c: "step", count }), step - now);
  await page.waitForFunction((wanted) => window.msd.poses.index === wanted && (wanted === 0 || window.msd.row >= 0), step, { timeout: 120_000 });
}

/** Where a body is on the screen. */
export function screenPlace(page, body) {
  return page.evaluate((number) => {
    const { stage } = window.msd;
    const point = stage.camera.position.clone().setFromMatrixPosition(stage.bodies.matrixOf(number)).project(stage.camera);
    const canvas = stage.renderer.domElement;
    return { x: ((point.x + 1) / 2) * canvas.clientWidth, y: ((1 - point.y) / 2) * canvas.clientHeight };
  }, body);
}

export async function temporaryFolder() {
  const folder = await mkdtemp(path.join(tmpdir(), "msd-page-"));
  return { path: folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

export const closeTo = (a, b, tolerance) => Math.abs(a - b) <= tolerance;
