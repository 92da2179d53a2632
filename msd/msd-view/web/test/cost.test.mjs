// What a picture of 5,000 moving boxes costs, in the server and in the page. The browser here draws in
// software; what counts for a laptop is the time before the graphics card takes over.
import assert from "node:assert/strict";
import { readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { openPage, startBrowser, temporaryFolder, view } from "./harness.mjs";

function boxes(count) {
  const side = Math.ceil(Math.cbrt(count));
  const bodies = Array.from({ length: count }, (_, i) => ({
    name: `box ${i}`, shape: "box",
    position: [(i % side) * 1.5, (Math.floor(i / side) % side) * 1.5, Math.floor(i / side / side) * 1.5],
    angularVelocity: [Math.sin(i), Math.cos(i), 1],
  }));
  return { version: 1, name: "free boxes", gravity: [0, 0, 0], solver: { sleeping: false }, shapes: { box: { type: "box", halfExtents: [0.4, 0.4, 0.4] } }, bodies };
}

test("a picture of 5,000 moving boxes costs the page and the server a few milliseconds", async () => {
  const folder = await temporaryFolder();
  const file = path.join(folder.path, "boxes.json");
  await writeFile(file, JSON.stringify(boxes(5000)));
  const browser = await startBrowser();
  const server = await view(file);
  try {
    const { page } = await openPage(browser, server.url, { width: 640, height: 400 });
    // Processor time of the thread of this name [s]; the kernel counts in hundredths.
    const processorTime = async (name) => {
      for (const task of await readdir(`/proc/${server.pid}/task`)) {
        const stat = await readFile(`/proc/${server.pid}/task/${task}/stat`, "utf8");
        if (!stat.includes(`(${name})`)) continue;
        const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
        return (Number(fields[11]) + Number(fields[12])) / 100;
      }
      throw new Error(`no thread ${name}`);
    };
    await page.waitForFunction(() => window.msd.poses.step > 5);
    const before = await processorTime("msd-server");
    const measured = await page.evaluate(async () => {
      const { stage, connection } = window.msd;
      const start = { ...stage.cost, received: connection.received };
      const began = performance.now();
      // A busy machine draws few pictures a second; forty of them are enough to tell.
      while (stage.cost.frames < start.frames + 40 && performance.now() < began + 60_000) {
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      const frames = stage.cost.frames - start.frames;
      return {
        frames,
        seconds: (performance.now() - began) / 1000,
        update: (stage.cost.updateMs - start.updateMs) / frames,
        draw: (stage.cost.drawMs - start.drawMs) / frames,
        kilobytes: (connection.received - start.received) / 1000 / frames,
      };
    });
    const after = await processorTime("msd-server");
    const serving = (1000 * (after - before)) / measured.frames;
    console.log(`5,000 moving boxes, ${measured.frames} pictures in ${measured.seconds.toFixed(1)} s, processor time a picture: page ${measured.update.toFixed(2)} ms to take it over, ` +
      `${measured.draw.toFixed(2)} ms to hand it to the graphics library; server ${serving.toFixed(2)} ms to send it ` +
      `(${measured.kilobytes.toFixed(0)} kB)`);
    assert.ok(measured.frames > 0);
    // 16.7 ms is the whole of a frame at 60 Hz. Loose, because machines that test are busy.
    assert.ok(measured.update < 12, `taking a frame over takes ${measured.update} ms`);
    assert.ok(measured.kilobytes < 200);
  } finally {
    await browser.close();
    await server.end();
    await folder.remove();
  }
});
