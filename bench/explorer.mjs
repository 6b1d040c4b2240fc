import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { asof, median, sample, tool } from './measure.mjs';
import { duration } from './report.mjs';
import { started } from './servers.mjs';

const series = ['GDP', 'GDP&with=UNRATE', 'DGS10&range=max'];
const [places, rounds] = [30, 3];

/** A frame of a screen of 60 Hz, in milliseconds. */
const frame = 1000 / 60;

/** The processor time of a step of the explorer's slider in a browser, against the time between two frames. */
export async function* slider() {
  const name = 'a step of the slider';
  const installed = chromium();
  if (installed === undefined) {
    yield {
      name,
      ours: 'skipped: `npm run bench` unpacks no browser; the tests do, or ASOF_CHROMIUM names one',
    };
    return;
  }
  const explorer = await started([asof, 'explore', '--no-open', '--store', sample]);
  let browser;
  try {
    browser = await tool('playwright-core').chromium.launch({ args: ['--no-sandbox'], ...installed });
    for (const search of series) {
      const taken = await stepsOf(browser, `${explorer.url}?series=${search}`);
      yield {
        name: `${name}: ${search}`,
        ours: duration(median(taken)),
        theirs: `a frame of 60 Hz: ${duration(frame)}`,
        figure: median(taken) / frame,
        atMost: 1,
      };
    }
  } finally {
    await browser?.close();
    explorer.child.kill();
  }
}

/** Chromium as `ASOF_CHROMIUM` names it, or as the tests of the explorer have unpacked it; undefined without one. */
function chromium() {
  const named = process.env.ASOF_CHROMIUM;
  if (named !== undefined) return { executablePath: named };
  const cache = join(import.meta.dirname, '../test/node_modules/.cache');
  const found = existsSync(cache) && readdirSync(cache).find((one) => /^asof-chromium-[\d.]+$/.test(one));
  if (!found) return undefined;
  const unpacked = join(cache, found);
  const env = { LD_LIBRARY_PATH: join(unpacked, 'lib'), FONTCONFIG_PATH: unpacked, HOME: unpacked };
  return { executablePath: join(unpacked, 'chromium'), env };
}

/** The milliseconds of the page's thread for each step, of several rounds the shortest. */
async function stepsOf(browser, address) {
  const page = await browser.newPage({ viewport: { width: 1200, height: 900 } });
  await page.goto(address);
  await page.getByRole('slider').waitFor();
  await page.waitForLoadState('networkidle');
  const session = await page.context().newCDPSession(page);
  // What other processes take meanwhile does not count.
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const used = async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return 1000 * metrics.find(({ name }) => name === 'TaskDuration').value;
  };
  const most = Number(await page.getByRole('slider').getAttribute('max'));
  const taken = new Array(places).fill(Number.POSITIVE_INFINITY);
  for (let round = 0; round < rounds; round += 1)
    for (let place = 0; place < places; place += 1) {
      const before = await used();
      await page.evaluate(moveTo(Math.floor((place * most) / (places - 1))));
      taken[place] = Math.min(taken[place], (await used()) - before);
    }
  await page.close();
  return taken;
}

/** A script that moves the slider, and ends when the next frame is drawn. */
function moveTo(value) {
  return `new Promise((resolve) => {
    const slider = document.querySelector('input[type=range]');
    slider.value = '${value}';
    slider.dispatchEvent(new Event('input'));
    requestAnimationFrame(() => setTimeout(resolve));
  })`;
}
