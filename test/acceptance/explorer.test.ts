import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { XMLParser } from 'fast-xml-parser';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  browserOfTests,
  explorerEnv,
  findingsOfAxe,
  rowOf,
  type StartedExplorer,
  startExplorer,
} from '../support/explorer-pages.ts';
import { builtProgram as program } from '../support/repository.ts';

const openPage = browserOfTests();

let explorer: StartedExplorer;

beforeAll(async () => {
  explorer = await startExplorer();
});
afterAll(() => explorer.child.kill('SIGKILL'));

async function saved(page: Page, act: () => Promise<void>): Promise<{ name: string; bytes: Buffer }> {
  const [download] = await Promise.all([page.waitForEvent('download'), act()]);
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
}

/** What a command line that the page shows prints in a shell. */
function printedBy(line: string): string {
  const script = `asof() { '${process.execPath}' '${program}' "$@"; }; ${line} --csv`;
  return execFileSync('/bin/sh', ['-c', script], {
    env: explorerEnv,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}

/** Saves the data of each command that the page shows, and compares it with what the command prints. */
async function expectCommandsToGiveTheData(page: Page): Promise<string[]> {
  const commands: string[] = [];
  await page.locator('.sources li').first().waitFor();
  for (const line of await page.locator('.sources li').all()) {
    const command = (await line.locator('code').textContent()) ?? '';
    const { name, bytes } = await saved(page, () => line.getByRole('button', { name: 'CSV' }).click());
    expect(name).toMatch(/^[\w-]+\.csv$/);
    expect([command, bytes.toString()]).toEqual([command, printedBy(command)]);
    commands.push(command);
  }
  return commands;
}

const crisis = '?series=GDP&as-of=2009-01-30&from=2005-01-01&to=2012-12-31';

/**
 * The milliseconds of script of each step of the slider, with the microtasks in which the page and then the chart are
 * drawn. Another process may interrupt one: the least of three counts.
 */
const stepsOfSlider = `(async () => {
  const slider = document.querySelector('input[type=range]');
  const best = [];
  for (let round = 0; round < 3; round += 1)
    for (let i = 0; i <= Number(slider.max); i += 1) {
      const start = performance.now();
      slider.value = String(i);
      slider.dispatchEvent(new Event('input'));
      for (let turn = 0; turn < 5; turn += 1) await undefined;
      best[i] = Math.min(best[i] ?? Infinity, performance.now() - start);
    }
  return best;
})()`;

describe('the explorer of a store, in a browser', () => {
  it('finds a series by words, and shows it', async () => {
    const { page, said, asked } = await openPage(explorer.url);
    await page.getByRole('searchbox').fill('gross domestic product');
    await page.getByRole('search').getByRole('link', { name: /^GDP / }).click();
    await page.getByRole('heading', { level: 1, name: 'GDP Gross Domestic Product' }).waitFor();
    expect(new URL(page.url()).search).toBe('?series=GDP');
    expect(await page.title()).toBe('GDP: Gross Domestic Product – asof');
    expect([...asked]).toEqual([new URL(explorer.url).origin]);
    expect(said).toEqual([]);
  });

  it('shows with the slider what was known on each day, and goes back', async () => {
    const { page, said } = await openPage(`${explorer.url}${crisis}`);
    // BEA (ALFRED, series GDP): the fourth quarter of 2008 was 14264.6 at first, 14200.3 a month later, 14608.209 in
    // 2023.
    expect(await rowOf(page, '2008-10-01')).toEqual([
      '2008-10-01',
      '14264.6',
      '2009-01-30',
      '14264.6',
      '14608.209',
      '343.609',
      '2.4088',
    ]);
    await page.getByRole('slider').press('ArrowRight');
    await page.waitForURL(/as-of=2009-02-27/);
    expect((await rowOf(page, '2008-10-01')).slice(0, 3)).toEqual(['2008-10-01', '14200.3', '2009-02-27']);
    await page.getByRole('button', { name: 'As of: one step back' }).click();
    await page.waitForURL(/as-of=2009-01-30/);
    await page.getByRole('button', { name: 'As of: one step back' }).click();
    await page.waitForURL(/as-of=2008-12-23/);
    expect((await rowOf(page, '2008-10-01')).slice(0, 3)).toEqual(['2008-10-01', '', '']);
    await page.goBack();
    await page.goBack();
    await page.waitForURL(/as-of=2009-02-27/);
    expect((await rowOf(page, '2008-10-01'))[1]).toBe('14200.3');
    expect(await page.getByRole('img').first().getAttribute('aria-label')).toContain(
      '14200.3 for 2008-10-01',
    );
    expect(said).toEqual([]);
  });

  it('takes any day, also one on which nothing was published', async () => {
    const { page } = await openPage(`${explorer.url}${crisis}`);
    await page.getByRole('textbox', { name: 'As of' }).fill('2009-02-26');
    await page.getByRole('textbox', { name: 'As of' }).blur();
    await page.waitForURL(/as-of=2009-02-26/);
    expect((await rowOf(page, '2008-10-01'))[1]).toBe('14264.6');
    await page.getByRole('textbox', { name: 'As of' }).fill('1980-01-01');
    await page.getByRole('textbox', { name: 'As of' }).blur();
    await page.getByText('Nothing was recorded before 1991-12-04').waitFor();
  });

  it('redraws the chart in less than 16 ms of script at each vintage of GDP', async () => {
    const { page } = await openPage(`${explorer.url}?series=GDP`);
    await page.getByRole('slider').waitFor();
    const steps = await page.evaluate<number[]>(stepsOfSlider);
    expect(steps.length).toBeGreaterThanOrEqual(393);
    expect(Math.max(...steps)).toBeLessThan(16);
  });

  it('opens the revisions of a point that is clicked, and of a date in the table', async () => {
    const { page, said } = await openPage(`${explorer.url}${crisis}`);
    const plot = page.locator('.u-over').first();
    const { width, height } = (await plot.boundingBox()) ?? { width: 0, height: 0 };
    // The fourth quarter of 2008 is 1369 of the 2921 days of the chart from the left.
    await plot.click({ position: { x: (width * 1369) / 2921, y: height / 2 } });
    const revisions = page.getByRole('region', { name: 'Revisions', exact: true });
    await revisions.getByRole('heading', { name: 'Revisions of 2008-10-01' }).waitFor();
    const values = await revisions
      .getByRole('row')
      .filter({ hasText: /^\d/ })
      .locator('td:nth-child(2)')
      .allTextContents();
    expect(values.slice(0, 3)).toEqual(['14264.6', '14200.3', '14347.3']);
    await revisions.getByRole('button', { name: 'Close' }).click();
    await revisions.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: '2009-01-01' }).press('Enter');
    await revisions.getByRole('heading', { name: 'Revisions of 2009-01-01' }).waitFor();
    expect(page.url()).toContain('date=2009-01-01');
    expect(said).toEqual([]);
  });

  it('selects dates by dragging over the chart, and hides lines', async () => {
    const { page } = await openPage(`${explorer.url}?series=GDP`);
    const { x, y, width, height } = (await page.locator('.u-over').first().boundingBox()) ?? {
      x: 0,
      y: 0,
      width: 0,
      height: 0,
    };
    await page.mouse.move(x + width / 2, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + width * 0.75, y + height / 2, { steps: 4 });
    await page.mouse.up();
    await page.waitForURL(/from=198\d-\d\d-\d\d&to=200\d-\d\d-\d\d/);
    await page.getByRole('checkbox', { name: 'First release' }).uncheck();
    await page.waitForURL(/hide=first/);
    await page.getByRole('button', { name: 'All dates' }).click();
    expect(new URL(page.url()).search).toBe('?series=GDP&hide=first');
  });

  it('shows the commands that give the same data, and saves those data and the picture', async () => {
    const { page, said } = await openPage(`${explorer.url}${crisis}&date=2008-10-01`);
    expect(await expectCommandsToGiveTheData(page)).toEqual([
      'asof observations GDP --as-of 2009-01-30 --from 2005-01-01 --to 2012-12-31',
      'asof observations GDP --from 2005-01-01 --to 2012-12-31',
      'asof observations GDP --first-release --from 2005-01-01 --to 2012-12-31',
      'asof revisions GDP --date 2008-10-01',
    ]);
    const svg = await saved(page, () => page.getByRole('button', { name: 'Save SVG' }).first().click());
    const drawn = new XMLParser({ ignoreAttributes: false }).parse(svg.bytes) as {
      svg: { title: string; desc: string };
    };
    expect(svg.name).toBe('GDP-as-of-2009-01-30.svg');
    expect(drawn.svg.title).toBe('GDP: Gross Domestic Product');
    expect(drawn.svg.desc).toContain('to 14264.6 (2008-10-01)');
    const png = await saved(page, () => page.getByRole('button', { name: 'Save PNG' }).first().click());
    // Twice the 720 units of the width of a picture, after the signature and the head of a PNG.
    expect([png.bytes.subarray(1, 4).toString(), png.bytes.readUInt32BE(16)]).toEqual(['PNG', 1440]);
    expect(said).toEqual([]);
  });

  it('shows yield curves with a slider, and compares two days', async () => {
    const { page, said } = await openPage(`${explorer.url}?view=curve&date=2007-01-03&vs=2006-01-03`);
    // Treasury's par yields of 3 January 2007 and 2006.
    expect(await rowOf(page, '10Y')).toEqual(['10Y', '4.67', '4.37', '30.00']);
    await page.getByRole('slider').press('ArrowRight');
    await page.waitForURL(/date=2007-01-04/);
    expect(await rowOf(page, '10Y')).toEqual(['10Y', '4.62', '4.37', '25.00']);
    expect(await expectCommandsToGiveTheData(page)).toEqual([
      'asof curve --date 2007-01-04',
      'asof curve --date 2006-01-03',
    ]);
    await page.getByRole('button', { name: 'No comparison' }).click();
    expect(await rowOf(page, '10Y')).toEqual(['10Y', '4.62', '', '']);
    await page.getByRole('combobox', { name: 'Curve' }).selectOption('TIPS');
    await page.getByRole('heading', { name: 'Treasury real yield curve (TIPS)' }).waitFor();
    expect(said).toEqual([]);
  });

  it('shows clusters of insiders as of a day, and which of their trades count', async () => {
    const { page, said } = await openPage(`${explorer.url}?view=clusters&ticker=maia&as-of=2026-06-30`);
    // Three insiders of MAIA Biotechnology bought on 1 June 2026 (Forms 4 filed on 2 June).
    const newest = page.getByRole('group').first();
    await newest.getByText('3 insiders · 2026-06-01 · $203,775.79 · public on 2026-06-02').click();
    const insiders = newest.getByRole('row').filter({ hasText: 'counted' });
    await insiders.first().waitFor();
    expect(await insiders.locator('td:nth-child(3)').allTextContents()).toEqual([
      'Gryaznov Sergei',
      'Smith Stan',
      'Vitoc Vlad',
    ]);
    await page.waitForURL(/open=0001878313/);
    expect(await expectCommandsToGiveTheData(page)).toEqual([
      'asof insider clusters --as-of 2026-06-30 --ticker MAIA --limit 100',
      'asof insider clusters --explain --as-of 2026-06-30 --ticker MAIA --limit 100',
    ]);
    await page.getByLabel('As of').fill('2026-06-01');
    await page.getByLabel('As of').blur();
    await page.getByText('public on 2026-06-02').waitFor({ state: 'detached' });
    expect(said).toEqual([]);
  });

  it('says what is wrong with an address, and which series there is not', async () => {
    const { page } = await openPage(`${explorer.url}?series=GDPX&as-of=2015-02-30`);
    const alert = page.getByRole('alert');
    await alert.getByText("series 'GDPX' not found").waitFor();
    await page.getByRole('navigation').getByRole('link', { name: 'Series' }).click();
    await page.getByRole('heading', { name: 'Economic series as they were known on a day' }).waitFor();
    expect(await alert.textContent()).toBe('');
    await page.goto(`${explorer.url}?series=GDP&as-of=2015-02-30`);
    await alert.getByText("as-of is '2015-02-30', which is no date").waitFor();
  });

  it('says that its service has stopped, which Ctrl-C does', async () => {
    const own = await startExplorer();
    const { page } = await openPage(own.url);
    await page.getByRole('link', { name: /^UNRATE / }).waitFor();
    own.child.kill('SIGINT');
    expect(await once(own.child, 'exit')).toEqual([0, null]);
    await page.getByRole('link', { name: /^UNRATE / }).click();
    await page
      .getByRole('alert')
      .getByText('the service does not answer; it may have been stopped')
      .waitFor();
    await page.getByRole('button', { name: 'Try again' }).waitFor();
  });

  describe.each([
    ['desktop', { width: 1200, height: 900 }],
    ['phone', { width: 375, height: 800 }],
  ] as const)('on a %s', (_, viewport) => {
    it.each(['', `${crisis}&date=2008-10-01`, '?view=curve', '?view=clusters&open=0001878313+2026-06-01'])(
      'has nothing that axe finds, light or dark, and fits: %s',
      async (address) => {
        const { page, said } = await openPage(`${explorer.url}${address}`, { viewport });
        await page.locator('main h1').waitFor();
        if (address.includes('open=')) await page.getByText('Vitoc Vlad').waitFor();
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          expect([colorScheme, await findingsOfAxe(page)]).toEqual([colorScheme, []]);
        }
        expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(
          viewport.width,
        );
        expect(said).toEqual([]);
      },
    );
  });
});
