import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { XMLParser } from 'fast-xml-parser';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { samplePath } from '../../src/platform/installation.ts';
import { wordsOf } from '../../src/snapshot/plan.ts';
import { asof } from '../support/command.ts';
import { explorerOfTests, findingsOfAxe, rowOf, startExplorer } from '../support/explorer-pages.ts';

const { open, openPage, url } = explorerOfTests();

async function saved(page: Page, act: () => Promise<void>): Promise<{ name: string; bytes: Buffer }> {
  const [download] = await Promise.all([page.waitForEvent('download'), act()]);
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
}

/** Expects each command that the page shows to print the data that the page saves; the commands. */
async function expectCommandsToGiveTheData(page: Page): Promise<string[]> {
  const commands: string[] = [];
  await page.locator('.data').first().waitFor();
  for (const data of await page.locator('.data').all()) {
    const choice = data.getByRole('combobox', { name: 'Data' });
    const names =
      (await choice.count()) === 0 ? [undefined] : await choice.locator('option').allTextContents();
    for (const name of names) {
      if (name !== undefined) await choice.selectOption(name);
      commands.push(await expectCommandToGiveTheData(page, data));
    }
  }
  return commands;
}

async function expectCommandToGiveTheData(page: Page, data: Locator): Promise<string> {
  const command = (await data.locator('code').textContent()) ?? '';
  const { name, bytes } = await saved(page, () => data.getByRole('button', { name: /^CSV/ }).click());
  expect(name).toMatch(/^[\w-]+\.csv$/);
  const [, ...words] = wordsOf(command);
  const surroundings = { env: { ASOF_STORE: samplePath() }, now: new Date().toISOString() };
  const { out } = await asof([...words, '--csv'], surroundings);
  expect([command, bytes.toString()]).toEqual([command, out]);
  return command;
}

/** Writes a day into the field of a name, as one does who goes on to the next field. */
async function fillDay(page: Page, name: string, day: string): Promise<void> {
  const field = page.getByRole('textbox', { name, exact: true });
  await field.fill(day);
  await field.blur();
}

const crisis = '?series=GDP&as-of=2009-01-30&from=2005-01-01&to=2012-12-31';

describe('the explorer of a store, in a browser', () => {
  it('finds a series by words, and shows it', async () => {
    const { page, said, asked } = await open();
    await page.getByRole('searchbox').fill('gross domestic product');
    await page
      .getByRole('search')
      .getByRole('link', { name: 'Gross Domestic Product GDP quarterly' })
      .click();
    await page.getByRole('heading', { level: 1, name: 'Gross Domestic Product GDP' }).waitFor();
    expect(new URL(page.url()).search).toBe('?series=GDP');
    expect(await page.title()).toBe('GDP: Gross Domestic Product – asof');
    expect([...asked]).toEqual([new URL(url()).origin]);
    // What is nearest is shown for words with an error, and for words that nothing matches.
    await page.getByRole('searchbox').fill('unemploymnet');
    const first = page.getByRole('search').getByRole('link').first();
    await first.getByText('UNRATE').waitFor();
    await page.getByRole('searchbox').fill('PAYEM5X');
    await page.getByRole('search').getByText('Nothing matches “PAYEM5X”; the nearest are shown').waitFor();
    expect(said).toEqual([]);
  });

  it('shows with the slider what was known on each day, and goes back', async () => {
    const { page, said } = await open(crisis);
    await page.getByRole('button', { name: /^Show all/ }).click();
    const row = () => rowOf(page, '2008-10-01');
    // BEA (ALFRED, series GDP): the fourth quarter of 2008 was 14264.6 at first, 14200.3 a month later, 14608.209 in
    // 2023.
    const whole = '2008-10-01 14,264.6 2009-01-30 14,264.6 14,608.209 343.609 2.4088';
    expect(await row()).toEqual(whole.split(' '));
    await page.getByRole('slider').press('ArrowRight');
    await page.waitForURL(/as-of=2009-02-27/);
    expect((await row()).slice(0, 3)).toEqual(['2008-10-01', '14,200.3', '2009-02-27']);
    await page.getByRole('button', { name: 'As of: one step back' }).click();
    await page.waitForURL(/as-of=2009-01-30/);
    await page.getByRole('button', { name: 'As of: one step back' }).click();
    await page.waitForURL(/as-of=2008-12-23/);
    expect((await row()).slice(0, 3)).toEqual(['2008-10-01', '', '']);
    await page.goBack();
    await page.goBack();
    await page.waitForURL(/as-of=2009-02-27/);
    expect((await row())[1]).toBe('14,200.3');
    const drawn = await page.getByRole('img').first().getAttribute('aria-label');
    expect(drawn).toContain('14200.3 for 2008-10-01');
    expect(said).toEqual([]);
  });

  it('takes any day, also one on which nothing was published', async () => {
    const { page } = await open(crisis);
    await fillDay(page, 'As of', '2009-02-26');
    await page.waitForURL(/as-of=2009-02-26/);
    expect((await rowOf(page, '2008-10-01'))[1]).toBe('14,264.6');
    await fillDay(page, 'As of', '1980-01-01');
    await page.getByText('Nothing was recorded before 1991-12-04').waitFor();
  });

  // How long a step takes: bench/explorer.mjs
  it.each(['GDP', 'GDP&with=UNRATE', 'DGS10&range=max'])(
    'answers each step of the slider without a request: %s',
    async (series) => {
      const { page, said } = await open(`?series=${series}`);
      const slider = page.getByRole('slider');
      await slider.waitFor();
      await page.waitForLoadState('networkidle');
      const sent: string[] = [];
      page.on('request', (request) => sent.push(request.url()));
      const most = Number(await slider.getAttribute('max'));
      const days = new Set<string>();
      for (const part of [0, 0.25, 0.5, 0.75]) {
        await slider.fill(String(Math.floor(part * most)));
        days.add(await page.getByRole('textbox', { name: 'As of', exact: true }).inputValue());
      }
      expect(days.size).toBe(4);
      expect(sent).toEqual([]);
      expect(said).toEqual([]);
    },
  );

  it('opens the revisions of a point that is clicked, and of a date in the table', async () => {
    const { page, said } = await open(crisis);
    const plot = page.locator('.u-over').first();
    const { width = 0, height = 0 } = (await plot.boundingBox()) ?? {};
    // The fourth quarter of 2008 is 1369 of the 2921 days of the chart from the left.
    await plot.click({ position: { x: (width * 1369) / 2921, y: height / 2 } });
    const revisions = page.getByRole('region', { name: 'Revisions', exact: true });
    await revisions.getByRole('heading', { name: 'Revisions of 2008-10-01' }).waitFor();
    const rows = revisions.getByRole('row').filter({ hasText: /^\d/ });
    const values = await rows.locator('td:nth-child(2)').allTextContents();
    expect(values.slice(0, 3)).toEqual(['14,264.6', '14,200.3', '14,347.3']);
    await revisions.getByRole('button', { name: 'Close' }).click();
    await revisions.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: /^Show all/ }).click();
    await page.getByRole('button', { name: '2009-01-01' }).press('Enter');
    await revisions.getByRole('heading', { name: 'Revisions of 2009-01-01' }).waitFor();
    expect(page.url()).toContain('date=2009-01-01');
    expect(said).toEqual([]);
  });

  it('selects dates by dragging over the chart, and hides lines', async () => {
    const { page } = await open('?series=GDP&range=max');
    const box = await page.locator('.u-over').first().boundingBox();
    const { x = 0, y = 0, width = 0, height = 0 } = box ?? {};
    await page.mouse.move(x + width / 2, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + width * 0.75, y + height / 2, { steps: 4 });
    await page.mouse.up();
    await page.waitForURL(/from=198\d-\d\d-\d\d&to=200\d-\d\d-\d\d/);
    await page.getByRole('checkbox', { name: 'First release' }).uncheck();
    await page.waitForURL(/hide=first/);
    await page.getByRole('button', { name: '20Y' }).click();
    expect(new URL(page.url()).search).toBe('?series=GDP&hide=first');
  });

  it('shows the commands that give the same data, and saves those data and the picture', async () => {
    const { page, said } = await open(`${crisis}&date=2008-10-01`);
    expect(await expectCommandsToGiveTheData(page)).toEqual([
      'asof revisions GDP --date 2008-10-01',
      'asof observations GDP --as-of 2009-01-30 --from 2005-01-01 --to 2012-12-31',
      'asof observations GDP --from 2005-01-01 --to 2012-12-31',
      'asof observations GDP --first-release --from 2005-01-01 --to 2012-12-31',
    ]);
    const svg = await saved(page, () => page.getByRole('button', { name: /^SVG of (As of|Curve)/ }).click());
    const drawn = new XMLParser({ ignoreAttributes: false }).parse(svg.bytes);
    expect(svg.name).toBe('GDP-as-of-2009-01-30.svg');
    expect(drawn.svg.title).toBe('GDP: Gross Domestic Product');
    expect(drawn.svg.desc).toContain('14264.6 for 2008-10-01');
    expect(svg.bytes.toString()).not.toContain('is sampled');
    const png = await saved(page, () => page.getByRole('button', { name: 'PNG of As of' }).click());
    // Twice the width of the SVG, after the signature and the head of a PNG.
    const width = Number(drawn.svg['@_width']);
    expect([png.bytes.subarray(1, 4).toString(), png.bytes.readUInt32BE(16)]).toEqual(['PNG', 2 * width]);
    expect(said).toEqual([]);
  });

  it('shows the commands of both series that are compared', async () => {
    const { page } = await open(`${crisis}&with=UNRATE&units=pc1`);
    await page.locator('.units').getByText('Percent Change from Year Ago').waitFor();
    await page.getByText('asof observations GDP UNRATE').waitFor();
    expect(await expectCommandsToGiveTheData(page)).toEqual([
      'asof observations GDP UNRATE --as-of 2009-01-30 --from 2005-01-01 --to 2012-12-31 --units pc1',
      'asof observations GDP UNRATE --from 2005-01-01 --to 2012-12-31 --units pc1',
      'asof observations GDP UNRATE --first-release --from 2005-01-01 --to 2012-12-31 --units pc1',
    ]);
  });

  it.each([
    [crisis, '2009-01-30'],
    ['?view=curve&date=2007-01-03&vs=2006-01-03', '2007-01-03'],
  ])('draws the line of the day above the others in the picture of %s', async (search, name) => {
    const { page } = await open(search);
    const picture = await saved(page, () =>
      page.getByRole('button', { name: /^SVG of (As of|Curve)/ }).click(),
    );
    const svg = picture.bytes.toString();
    // The lines of data are wider than those of axes and marks.
    const [, last] = [...svg.matchAll(/<path[^>]* stroke="(#\w+)" stroke-width="[2-9]/g)].at(-1) ?? [];
    const [named = ''] = new RegExp(`<text[^>]*font-weight="600"[^>]*>${name}</text>`).exec(svg) ?? [];
    expect(last).toMatch(/^#\w+$/);
    expect(/fill="(#\w+)"/.exec(named)?.[1]).toBe(last);
  });

  it('says of sampled vintages in their picture that they are, as the command does', async () => {
    const { page } = await open('?series=UNRATE&as-of=2009-01-30');
    const { bytes } = await saved(page, () =>
      page.getByRole('button', { name: /^SVG of (As of|Curve)/ }).click(),
    );
    expect(bytes.toString()).toContain('; UNRATE is sampled');
  });

  it('shows yield curves with a slider, and compares two days', async () => {
    const { page, said } = await open('?view=curve&date=2007-01-03&vs=2006-01-03');
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
    await page.getByRole('button', { name: 'Real yields (TIPS)' }).click();
    await page.getByRole('heading', { name: 'Treasury real yield curve (TIPS)' }).waitFor();
    await page.goto(`${url()}?view=curve&date=2007-01-06`);
    await page.getByText('There is no curve for 2007-01-06.').waitFor();
    const about = await page.getByRole('slider').getAttribute('aria-valuetext');
    expect(about).toBe('2007-01-06, not a trade date');
    await page.getByRole('button', { name: 'Show 2007-01-05' }).click();
    await page.waitForURL(/date=2007-01-05/);
    expect(said).toEqual([]);
  });

  it('shows clusters of insiders as of a day, and which of their trades count, one cluster at a time', async () => {
    const { page, said } = await open('?view=clusters&ticker=maia&as-of=2026-06-30');
    // Three insiders of MAIA Biotechnology bought on 1 June 2026 (Forms 4 filed on 2 June).
    const clusters = page.getByRole('region', { name: 'Clusters', exact: true });
    const cells = ['MAIA', 'MAIA Biotechnology, Inc.', '3', '$203,776', '2026-06-01', '2026-06-02'];
    const newest = clusters.getByRole('row').nth(1);
    await expect.poll(() => newest.locator('th, td').allTextContents(), { timeout: 10_000 }).toEqual(cells);
    await newest.getByRole('button').click();
    const insiders = clusters
      .getByRole('row')
      .filter({ hasText: 'counted' })
      .locator('table tr', { hasText: 'counted' });
    await insiders.first().waitFor();
    const names = await insiders.locator('td:nth-child(3)').allTextContents();
    expect(names).toEqual(['Gryaznov Sergei', 'Smith Stan', 'Vitoc Vlad']);
    // The first of them on EDGAR.
    expect(await insiders.first().getByRole('link').getAttribute('href')).toBe(
      'https://www.sec.gov/Archives/edgar/data/1878313/000187831326000060/0001878313-26-000060-index.htm',
    );
    await page.getByRole('img', { name: 'Trades from 2026-06-01, the last filing on 2026-06-02' }).waitFor();
    await page.waitForURL(/open=0001878313\+2026-06-01/);
    await page.getByRole('row', { name: '2025-12-23' }).getByRole('button').click();
    await page.waitForURL(/open=0001878313\+2025-12-22/);
    expect(await clusters.locator('.opened').count()).toBe(1);
    expect(await expectCommandsToGiveTheData(page)).toEqual([
      'asof insider clusters --as-of 2026-06-30 --ticker MAIA --limit 100',
      'asof insider clusters --explain --as-of 2026-06-30 --ticker MAIA --limit 100',
    ]);
    await fillDay(page, 'As of', '2026-06-01');
    await clusters.getByText('2026-06-02').waitFor({ state: 'detached' });
    expect(said).toEqual([]);
  });

  it('says that its service has stopped, which Ctrl-C does', async () => {
    const own = await startExplorer();
    const { page } = await openPage(own.url);
    await page.getByRole('link', { name: 'UNRATE' }).waitFor();
    own.child.kill('SIGINT');
    expect(await once(own.child, 'exit')).toEqual([0, null]);
    await page.getByRole('link', { name: 'UNRATE' }).click();
    const said = 'the service does not answer; it may have been stopped';
    await page.getByRole('alert').getByText(said).waitFor();
    await page.getByRole('button', { name: 'Try again' }).waitFor();
  });

  it.each(['', `${crisis}&date=2008-10-01`, '?view=curve', '?view=clusters&open=0001878313+2026-06-01'])(
    'has nothing that axe finds, light or dark, on a desktop or a phone, and fits: %s',
    async (address) => {
      const { page, said } = await open(address);
      await page.locator('main h1').waitFor();
      if (address.includes('open=')) await page.getByRole('cell', { name: 'Vitoc Vlad' }).waitFor();
      const fits = '[document.documentElement.scrollWidth <= innerWidth, innerWidth]';
      for (const [colorScheme, width] of [['light', 1200] as const, ['dark', 375] as const]) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 900 });
        expect([colorScheme, await findingsOfAxe(page)]).toEqual([colorScheme, []]);
        expect(await page.evaluate(fits)).toEqual([true, width]);
      }
      expect(said).toEqual([]);
    },
  );
});

describe('an address that is wrong', () => {
  it('in part shows the rest, and what is wrong', async () => {
    const { page } = await open('?series=GDP&from=2012-01-01&to=2011-12-31');
    await page.getByRole('slider').waitFor();
    const fault = 'to is 2011-12-31, before from, which is 2012-01-01';
    expect(await page.getByRole('alert').textContent()).toBe(fault);
  });

  it('by its series says so, until another page is opened', async () => {
    const { page } = await open('?series=GDPX&as-of=2015-02-30');
    const alert = page.getByRole('alert');
    await alert.getByText("series 'GDPX' not found").waitFor();
    await page.locator('main h1').waitFor();
    expect(await findingsOfAxe(page)).toEqual([]);
    await page.getByRole('navigation').getByRole('link', { name: 'Series' }).click();
    await page.getByRole('heading', { name: 'Economic series as they were known on a day' }).waitFor();
    expect(await alert.textContent()).toBe('');
  });

  it('leaves the fields of clusters, so that a number that is not allowed can be changed', async () => {
    const { page } = await open('?view=clusters&min-insiders=0');
    const alert = page.getByRole('alert');
    await alert.getByText(`invalid 'min_insiders' "0": use an integer of at least 1.`).waitFor();
    await page.getByLabel('Insiders at least').fill('3');
    await page.getByLabel('Insiders at least').blur();
    await page.getByRole('cell', { name: '2026-06-02' }).first().waitFor();
    expect(await alert.textContent()).toBe('');
  });
});

describe('the explorer in a browser', () => {
  /** A script after which a browser has a language, or none. */
  const speaking = (language: string | undefined) => `
    Object.defineProperty(Navigator.prototype, 'language', { get: () => ${JSON.stringify(language)} });
    Object.defineProperty(Navigator.prototype, 'languages', { get: () => ${JSON.stringify([language].flat())} });`;

  it.each([
    ['whose language is en-US@posix', { script: speaking('en-US@posix') }, 'en-US@posix'],
    ['without a language', { script: speaking(undefined) }, undefined],
    ['whose language is de-DE', { locale: 'de-DE' }, 'de-DE'],
  ])('%s shows the chart and the numbers as in every other', async (_, options, language) => {
    const { page, said } = await open(crisis, options);
    expect(await page.evaluate('navigator.language')).toBe(language);
    await page.locator('.plot canvas').waitFor();
    expect((await rowOf(page, '2008-10-01'))[1]).toBe('14,264.6');
    expect(said).toEqual([]);
  });

  it('that cannot run it, or cannot load its script, shows why, as text, in the page', async () => {
    const { page } = await open('', { script: 'delete window.ResizeObserver; delete window.URL;' });
    const text = await page.getByRole('alert').textContent();
    expect(text).toMatch(/^The explorer did not start: .*URL.*\. The command asof answers/);
    const { page: without } = await open('', { without: '**/explorer/page.js' });
    expect(await without.getByRole('alert').textContent()).toMatch(/page\.js could not be loaded/);
  });
});
