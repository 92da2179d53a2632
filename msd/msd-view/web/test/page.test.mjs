// What a user does in the page, and whether it shows what the engine says.
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { after, before, test } from "node:test";
import { ask, closeTo, goTo, msd, openPage, pause, scenes, screenPlace, startBrowser, temporaryFolder, view } from "./harness.mjs";

const stack = path.join(scenes, "stack_of_ten.json");
let browser;
let folder;

before(async () => {
  browser = await startBrowser();
  folder = await temporaryFolder();
});
after(async () => {
  await browser?.close();
  await folder?.remove();
});

/** Runs a test in a page of its own and checks that it complained of nothing and asked nobody else. */
async function inPage(file, options, body) {
  const server = await view(file, ...(options.server ?? []));
  try {
    const opened = await openPage(browser, server.url, options);
    await body(opened.page, server);
    assert.deepEqual(opened.problems, options.problems ?? [], "errors in the console");
    assert.deepEqual(opened.strangers, [], "requests that leave 127.0.0.1");
    await opened.context.close();
  } finally {
    assert.equal(await server.end(), 0, "msd view ends without an error");
  }
}

test("a live run comes to rest and shows the engine's energy, bit for bit", async () => {
  const steps = 240;
  const report = path.join(folder.path, "report.json");
  const ran = await msd("run", stack, "--steps", String(steps), "--report", report, "--quiet");
  assert.equal(ran.code, 0, ran.stderr);
  const { columns, rows } = JSON.parse(await readFile(report, "utf8"));
  await inPage(stack, { server: ["--paused"] }, async (page) => {
    await page.selectOption("#speed", "0");
    await page.click("#play");
    await page.waitForFunction((most) => window.msd.poses.index >= most, steps);
    await pause(page);
    await goTo(page, steps);
    const shown = await page.evaluate(() => {
      const output = document.getElementById("plot-energy-value");
      const { series, row } = window.msd;
      return { total: Number(output.dataset.value), kinetic: series.value("kinetic", row), potential: series.value("potential", row), text: output.textContent };
    });
    const last = Object.fromEntries(columns.map((name, i) => [name, rows[steps - 1][i]]));
    const kinetic = last.kinetic ?? last["energy.kinetic"];
    const potential = last.potential ?? last["energy.potential"];
    assert.equal(shown.kinetic, kinetic);
    assert.equal(shown.potential, potential);
    assert.equal(shown.total, kinetic + potential);
    assert.match(shown.text, /J$/);
    assert.ok(shown.kinetic < 1e-3, `at rest, but ${shown.kinetic} J`);
  });
});

test("picking a body shows contact forces whose sum is its weight", async () => {
  await inPage(stack, { server: ["--paused"] }, async (page) => {
    await goTo(page, 200);
    const place = await screenPlace(page, 5);
    await page.mouse.click(place.x, place.y);
    await page.waitForFunction(() => document.querySelector("#balance") && document.querySelector("#body-panel").dataset.index === "200");
    assert.equal(await page.textContent("#body-name"), "cube 5");
    const [sum, weight] = await page.$eval("#balance", (block) => [JSON.parse(block.dataset.contactForce), JSON.parse(block.dataset.weight)]);
    assert.ok(closeTo(weight[2], -9810, 1e-6), `weight ${weight}`);
    for (let axis = 0; axis < 3; ++axis) assert.ok(closeTo(sum[axis], -weight[axis], 0.002 * 9810), `sum ${sum}`);
    assert.match(await page.textContent("#balance h3"), /in balance/);
    assert.equal(await page.locator("#body-panel tbody tr").count(), 8);
    await page.keyboard.press("Escape");
    await page.waitForSelector(".empty");
  });
});

test("step, scrub, speed, restart and keys do what they say", async () => {
  await inPage(stack, { server: ["--paused"] }, async (page) => {
    assert.equal(await page.evaluate(() => window.msd.poses.step), 0);
    await page.click("#forward");
    await page.waitForFunction(() => window.msd.poses.step === 1);
    assert.equal(await page.getAttribute("#time", "data-value"), String(1 / 60));
    await page.keyboard.press("Shift+ArrowRight");
    await page.waitForFunction(() => window.msd.poses.step === 11);
    await page.click("#back");
    await page.waitForFunction(() => window.msd.poses.step === 10 && window.msd.poses.last === 11);
    await goTo(page, 100);
    const before = await page.evaluate(() => Array.from(window.msd.poses.positions));
    const track = await page.locator("#track").boundingBox();
    await page.mouse.move(track.x + track.width / 2, track.y + track.height - 9);
    await page.mouse.down();
    await page.mouse.move(track.x + track.width / 4, track.y + track.height - 9, { steps: 5 });
    await page.mouse.up();
    await page.waitForFunction(() => Math.abs(window.msd.poses.step - 25) <= 1);
    await page.keyboard.press("End");
    await page.waitForFunction(() => window.msd.poses.step === 100);
    assert.deepEqual(await page.evaluate(() => Array.from(window.msd.poses.positions)), before);
    // A tenth of real time: so slow that a busy machine keeps up, too.
    await page.selectOption("#speed", "0.1");
    await page.waitForFunction(() => window.msd.state.speed === 0.1);
    await page.keyboard.press("Space");
    await page.waitForFunction(() => window.msd.poses.step > 101);
    const pace = await page.evaluate(async () => {
      const start = [window.msd.poses.time, performance.now()];
      await new Promise((resolve) => setTimeout(resolve, 2000));
      return (window.msd.poses.time - start[0]) / ((performance.now() - start[1]) / 1000);
    });
    assert.ok(pace > 0.06 && pace < 0.14, `pace ${pace}`);
    await page.keyboard.press("r");
    await page.waitForFunction(() => window.msd.poses.step < 60);
    await page.keyboard.press("?");
    await page.waitForSelector("#help[open]");
  });
});

test("pulling a body with the mouse does external work that the ledger shows", async () => {
  await inPage(stack, { server: ["--paused"] }, async (page) => {
    await goTo(page, 10);
    await page.keyboard.press("Space");
    const place = await screenPlace(page, 10);
    await page.mouse.move(place.x, place.y);
    await page.mouse.down();
    for (let i = 1; i <= 8; ++i) {
      await page.mouse.move(place.x + 8 * i, place.y - 16 * i);
      await page.waitForTimeout(25);
    }
    await page.waitForFunction(() => window.msd.poses.drag !== null);
    await page.waitForFunction(() => window.msd.series.value("external", window.msd.row) > 10);
    await page.mouse.up();
    await page.waitForFunction(() => window.msd.poses.drag === null);
    assert.equal(await page.textContent("#body-name"), "cube 10");
  });
});

test("the exact method shows its certificate", async () => {
  await inPage(stack, { server: ["--paused"] }, async (page) => {
    await page.click("#method [data-method=exact]");
    await page.waitForFunction(() => window.msd.state.method === "exact");
    await goTo(page, 3);
    await page.waitForFunction(() => document.getElementById("proof").dataset.method === "exact");
    const natural = Number(await page.getAttribute("#proof", "data-value"));
    assert.ok(natural <= 1e-8, `natural map ${natural}`);
    assert.match(await page.textContent("#proof"), /certified/);
    await page.click("#proof");
    await page.waitForSelector("#certificate[open] [data-name='natural map']");
  });
});

test("a recording ends in the pose of the run it is of", async (context) => {
  const file = path.join(folder.path, "run.db");
  const poses = path.join(folder.path, "poses.bin");
  const ran = await msd("run", stack, "--steps", "60", "--record", file, "--poses", poses, "--quiet");
  if (/unknown option/.test(ran.stderr)) return context.skip("this tool does not record");
  assert.equal(ran.code, 0, ran.stderr);
  const data = await readFile(poses);
  const bodies = data.readInt32LE(0), frames = data.readInt32LE(4);
  const at = 8 + (frames - 1) * (8 + bodies * 13 * 8) + 8 + 10 * 13 * 8;
  const expected = [0, 1, 2].map((i) => data.readDoubleLE(at + 8 * i));
  await inPage(file, { server: ["--paused"] }, async (page) => {
    assert.equal(await page.evaluate(() => window.msd.scene.live), false);
    await page.evaluate(() => window.msd.select(10));
    await page.keyboard.press("End");
    await page.waitForFunction(() => window.msd.poses.step === 60);
    await page.waitForFunction(() => document.querySelector("#body-panel").dataset.index === String(window.msd.poses.index));
    const shown = JSON.parse(await page.getAttribute("#body-position dd", "data-position"));
    assert.deepEqual(shown, expected);
    assert.equal(await page.evaluate(() => window.msd.series.length), 60);
  });
});

test("a dropped scene opens; a broken one shows the message of msd check", async () => {
  const broken = path.join(folder.path, "broken.json");
  await writeFile(broken, '{"version": 1, "shapes": {"s": {"type": "sphere", "radius": -1}}, "bodies": []}');
  const checked = await msd("check", broken);
  assert.equal(checked.code, 2);
  const expected = checked.stderr.trim().replace("msd: ", "").replaceAll(broken, "broken.json");
  const drop = async (page, name, text) => {
    const transfer = await page.evaluateHandle(([n, t]) => {
      const result = new DataTransfer();
      result.items.add(new File([t], n));
      return result;
    }, [name, text]);
    await page.dispatchEvent("body", "drop", { dataTransfer: transfer });
  };
  // Chromium itself notes every answer of 400 and above.
  await inPage(stack, { server: ["--paused"], problems: ["Failed to load resource: the server responded with a status of 422 (Unprocessable Entity)"] }, async (page) => {
    await drop(page, "broken.json", await readFile(broken, "utf8"));
    await page.waitForSelector("#problem[open]");
    assert.equal(await page.textContent("#problem-text"), expected);
    await page.keyboard.press("Escape");
    assert.equal(await page.evaluate(() => window.msd.scene.name), "stack of ten");
    const ball = { version: 1, name: "dropped ball", shapes: { s: { type: "sphere", radius: 0.5 } }, bodies: [{ name: "ball", shape: "s" }] };
    await drop(page, "ball.json", JSON.stringify(ball));
    await page.waitForFunction(() => window.msd.scene.name === "dropped ball");
  });
});

test("the scene picker opens a shipped scene", async () => {
  await inPage(stack, {}, async (page) => {
    await page.keyboard.press("o");
    await page.click("#scenes .scene-card[data-file='demo.json']");
    await page.waitForFunction(() => window.msd.scene.name === "demo" && window.msd.poses.count > 100);
  });
});

/** Two hinges on the world, one of them with a motor, and a free ball with a visual. */
const arms = (name) => JSON.stringify({
  version: 1, name, dt: 1 / 120,
  shapes: { bar: { type: "box", halfExtents: [0.5, 0.05, 0.05] }, ball: { type: "sphere", radius: 0.1 }, floor: { type: "plane" },
    flag: { type: "mesh", vertices: [[0, 0, 0], [0.4, 0, 0], [0, 0, 0.4]], triangles: [[0, 1, 2]] } },
  bodies: [{ name: "floor", shape: "floor", static: true, position: [0, 0, -2] },
    { name: "upper", shape: "bar", position: [0.5, 0, 0], colour: [0.9, 0.2, 0.1] }, { name: "lower", shape: "bar", position: [1.5, 0, 0] },
    { name: "ball", shape: "ball", position: [0, 1, -1.9], visual: [{ shape: "flag", colour: [0, 0.6, 0.2] }, { shape: "ball", position: [0, 0, 0.5] }] }],
  joints: [{ type: "hinge", name: "shoulder", bodyA: "world", bodyB: "upper", anchor: [0, 0, 0], axis: [0, 1, 0], limit: { lower: -2, upper: 2 }, motor: { mode: "position", target: 0.3 } },
    { type: "hinge", name: "elbow", bodyA: "upper", bodyB: "lower", anchor: [1, 0, 0], axis: [0, 1, 0] }],
});

test("the tree finds bodies and joints, and its sliders drive them", async () => {
  const file = path.join(folder.path, "arms.json");
  await writeFile(file, arms("arms"));
  await inPage(file, {}, async (page) => {
    await page.keyboard.press("t");
    await page.waitForSelector("#tree-list [data-joint]");
    assert.deepEqual(await page.$$eval("#tree-list .tree-body span", (rows) => rows.map((row) => row.textContent)), ["upper", "lower", "floor", "ball"]);
    assert.deepEqual(await page.$eval("#tree-list [data-joint='0']", (slider) => [slider.min, slider.max]), ["-2", "2"]);
    const stands = (joint, value) => page.waitForFunction(([i, wanted]) => {
      const shown = window.msd.tree.joints?.floats[i * 4];
      return Math.abs(shown - wanted) < 0.02;
    }, [joint, value]);
    const slide = (joint, value) => page.$eval(`#tree-list [data-joint='${joint}']`, (slider, wanted) => {
      slider.value = String(wanted);
      slider.dispatchEvent(new Event("input", { bubbles: true }));
    }, value);
    await stands(0, 0.3); // the scene's own target
    await slide(0, -0.8);
    await stands(0, -0.8);
    await slide(1, 0.5); // no motor: it is held
    await stands(1, 0.5);
    await page.click(".tree-row:first-child .link");
    await stands(0, 0.3);
    await page.keyboard.press("/");
    await page.keyboard.type("elb");
    await page.waitForFunction(() => document.querySelectorAll("#tree-list .tree-body").length === 1);
    await page.click("#tree-list .tree-body");
    await page.waitForFunction(() => window.msd.selected === 2);
    assert.equal(await page.locator("#tree-list .on").count(), 1);
    await page.fill("#tree-search", "nobody");
    assert.match(await page.textContent("#tree-note"), /Nothing/);
  });
});

test("R reads an edited file again, and says what is wrong with a broken one", async () => {
  const file = path.join(folder.path, "edited.json");
  await writeFile(file, arms("before"));
  await inPage(file, {}, async (page) => {
    await page.waitForFunction(() => window.msd.poses.step > 5);
    await writeFile(file, arms("after"));
    await page.keyboard.press("r");
    await page.waitForFunction(() => window.msd.scene.name === "after");
    await writeFile(file, arms("wrong").replace('"radius":0.1', '"radius":-1'));
    await page.keyboard.press("r");
    await page.waitForFunction(() => /radius/.test(document.getElementById("banner").textContent));
    assert.equal(await page.evaluate(() => window.msd.scene.name), "after");
    await writeFile(file, arms("mended"));
    await page.keyboard.press("r");
    await page.waitForFunction(() => window.msd.scene.name === "mended" && document.getElementById("banner").hidden);
  });
});

test("a page finds its server when that is started again", async () => {
  process.env.XDG_RUNTIME_DIR = folder.path;
  const first = await view(stack);
  const port = new URL(first.url).port;
  const { page, context } = await openPage(browser, first.url);
  await first.end();
  await page.waitForFunction(() => document.body.classList.contains("lost"));
  const second = await view(path.join(scenes, "pendulum.json"), "--port", port);
  assert.equal(second.url, first.url);
  await page.waitForFunction(() => !document.body.classList.contains("lost") && window.msd.scene.name === "pendulum" && window.msd.poses.step > 3, null, { timeout: 20_000 });
  await context.close();
  assert.equal(await second.end(), 0);
});

test("colours and visual meshes are shown, or the shapes that touch", async () => {
  const file = path.join(folder.path, "looks.json");
  await writeFile(file, arms("looks"));
  await inPage(file, { server: ["--paused"] }, async (page) => {
    const drawn = () => page.evaluate(() => window.msd.stage.bodies.groups.flatMap((group) => group.parts.map((part) => [part.body, part.shape, part.colour?.getHexString() ?? null])));
    const seen = await drawn();
    assert.deepEqual(seen.filter(([body]) => body === 3).map(([, shape]) => shape).sort(), await page.evaluate(() => window.msd.scene.bodies[3].visual.map((v) => v.shape).sort()));
    assert.equal(seen.find(([body]) => body === 1)[2], "e6331a");
    await page.keyboard.press("9");
    await page.waitForFunction(() => window.msd.show.areShapesOn);
    const touching = await drawn();
    assert.equal(touching.filter(([body]) => body === 3).length, 1);
    await page.keyboard.press("9");
  });
});

test("panels and dialogs fit a window of 640 by 400", async () => {
  const file = path.join(folder.path, "small.json");
  await writeFile(file, arms("small"));
  await inPage(file, { width: 640, height: 400 }, async (page) => {
    const boxes = () => page.evaluate(() => Object.fromEntries(["bar", "side", "transport", "tool-help", "play", "speed"].map((id) => {
      const { left, top, right, bottom } = document.getElementById(id).getBoundingClientRect();
      return [id, { left, top, right, bottom }];
    })));
    for (const tab of ["body", "plots", "tree", "show"]) {
      await page.click(`#tabs [data-tab=${tab}]`);
      const at = await boxes();
      for (const [id, box] of Object.entries(at)) assert.ok(box.left >= 0 && box.top >= 0 && box.right <= 640 && box.bottom <= 400, `${tab}: ${id} ${JSON.stringify(box)}`);
      assert.ok(at.side.top >= at.bar.bottom && at.side.bottom <= at.transport.top, `${tab}: ${JSON.stringify(at)}`);
      assert.ok(at.side.bottom - at.side.top >= 240 && at.side.left >= 320, `${tab}: room ${JSON.stringify(at.side)}`);
      const isCut = await page.$eval(`#${tab}-panel`, (panel) => panel.scrollWidth > panel.clientWidth + 1);
      assert.equal(isCut, false, `${tab} is wider than its panel`);
    }
    for (const [key, id] of [["?", "help"], ["o", "scenes"]]) {
      await page.keyboard.press(key);
      await page.waitForSelector(`#${id}[open]`);
      const box = await page.$eval(`#${id}`, (dialog) => ({ ...dialog.getBoundingClientRect().toJSON(), wide: dialog.scrollWidth - dialog.clientWidth }));
      assert.ok(box.left >= 8 && box.top >= 8 && box.right <= 632 && box.bottom <= 392 && box.wide <= 0, `${id} ${JSON.stringify(box)}`);
      await page.keyboard.press("Escape");
    }
  });
});

test("all overlays and colourings draw, in both themes", async () => {
  await inPage(stack, { server: ["--paused"] }, async (page) => {
    await goTo(page, 30);
    for (const key of "12345678") await page.keyboard.press(key);
    await page.waitForFunction(() => window.msd.lastContacts?.count >= 40);
    for (let i = 0; i < 4; ++i) await page.keyboard.press("k");
    await page.keyboard.press("l");
    await page.keyboard.press("]");
    await page.waitForTimeout(200);
    assert.match(await page.textContent("#legend"), /sticks/);
    for (const key of "12345678") await page.keyboard.press(key);
  });
});

test("a picture and a video can be saved", async () => {
  await inPage(stack, {}, async (page) => {
    const [picture] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("p")]);
    assert.match(picture.suggestedFilename(), /^stack_of_ten_.*\.png$/);
    const png = await readFile(await picture.path());
    assert.equal(png.toString("latin1", 1, 4), "PNG");
    assert.ok(png.length > 10_000);
    await page.keyboard.press("v");
    await page.waitForFunction(() => window.msd.video.bytes > 1000);
    const [video] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("v")]);
    const webm = await readFile(await video.path());
    assert.equal(webm.readUInt32BE(0), 0x1a45dfa3);
    assert.ok(webm.length > 1_000);
  });
});

test("msd snapshot makes a picture of the size asked for, and says when it cannot", async () => {
  const file = path.join(folder.path, "stack.png");
  const made = await msd("snapshot", stack, "--at", "0.5", "--show", "forces", "--size", "480x320", "-o", file);
  assert.equal(made.code, 0, made.stderr);
  assert.match(made.stdout, /0\.500 s/);
  const png = await readFile(file);
  assert.deepEqual([png.toString("latin1", 1, 4), png.readUInt32BE(16), png.readUInt32BE(20)], ["PNG", 480, 320]);
  assert.ok(png.length > 5_000);
  const chromium = process.env.MSD_CHROMIUM;
  process.env.MSD_CHROMIUM = "/nonexistent";
  const refused = await msd("snapshot", stack, "-o", path.join(folder.path, "none.png"));
  process.env.MSD_CHROMIUM = chromium;
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /Chromium/);
  const wrong = await msd("snapshot", stack, "--size", "huge", "-o", path.join(folder.path, "none.png"));
  assert.equal(wrong.code, 2);
  assert.match(wrong.stderr, /WxH/);
});

test("a page with a wrong token gets nothing", async () => {
  const server = await view(stack);
  const context = await browser.newContext();
  const page = await context.newPage();
  const response = await page.goto(server.url.replace(/\/[^/]+\/$/, "/wrongwrongwrongwrongwron/"));
  assert.equal(response.status(), 403);
  await context.close();
  await server.end();
});

test("ten viewers come and go without a leak", async () => {
  const server = await view(stack);
  const memory = async () => Number((await readFile(`/proc/${server.pid}/status`, "utf8")).match(/VmRSS:\s+(\d+)/)[1]);
  const handles = async () => (await import("node:fs/promises")).readdir(`/proc/${server.pid}/fd`).then((list) => list.length);
  const page = await (await browser.newContext()).newPage();
  await page.goto(server.url);
  await page.waitForFunction(() => window.msd?.poses);
  await ask(page, { c: "pause" }, () => window.msd.state.playing === false);
  const round = () => page.evaluate(async () => {
    const address = new URL("socket", location.href);
    address.protocol = "ws:";
    const sockets = Array.from({ length: 10 }, () => new WebSocket(address));
    await Promise.all(sockets.map((socket) => new Promise((resolve) => (socket.onmessage = resolve))));
    sockets.forEach((socket) => socket.close());
    await Promise.all(sockets.map((socket) => new Promise((resolve) => (socket.onclose = resolve))));
  });
  await round();
  const before = [await memory(), await handles()];
  for (let i = 0; i < 10; ++i) await round();
  await page.waitForTimeout(300);
  const after = [await memory(), await handles()];
  assert.ok(after[1] <= before[1] + 1, `open files ${before[1]} -> ${after[1]}`);
  assert.ok(after[0] <= before[0] + 4096, `memory ${before[0]} -> ${after[0]} kB`);
  await page.context().close();
  assert.equal(await server.end(), 0);
});
