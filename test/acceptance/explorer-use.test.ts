import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addDays, utcDay } from '../../src/domain/values/date.ts';
import { lookAtJobs, writeSightings } from '../support/calendars.ts';
import {
  browserOfTests,
  findingsOfAxe,
  rowOf,
  type StartedExplorer,
  startExplorer,
} from '../support/explorer-pages.ts';
import { scratchFolder } from '../support/folders.ts';
import { facts, importFiles, newStorePath } from '../support/scratch-store.ts';

const openPage = browserOfTests();
const [folder, hostile] = [
  scratchFolder(),
  `<img src=x onerror="document.title='run'"></script><script>alert(1)</script>`,
];
const [odd, empty] = [newStorePath(folder), newStorePath(folder)];

let sample: StartedExplorer;
let others: StartedExplorer;
let nothing: StartedExplorer;

/** Made-up series that are hard to draw or to print; what is expected of them follows from these lines alone. */
const oddSeries = {
  'facts.csv': [
    'series_id,date,as_of_date,value',
    'ONE,2020-01-01,2020-02-01,-1.5',
    'HUGE,2018-01-01,2019-03-01,30000000000000000',
    'HUGE,2019-01-01,2020-03-01,90000000000000000',
    'HOSTILE,2020-01-01,2020-02-01,1',
    'HOSTILE,2020-02-01,2020-03-01,2',
    'A & B: 50%(+),2020-01-01,2020-02-01,7',
    '',
  ].join('\n'),
  'metadata.csv': [
    'series_id,title,units,frequency,seasonal_adjustment,source',
    `HOSTILE,"${hostile.replaceAll('"', '""')}","=1+1",M,NSA,Test`,
    `ONE,${'Verylongword'.repeat(20)},Units,M,NSA,Test`,
    'HUGE,Huge,Units,A,NSA,Test',
    '',
  ].join('\n'),
};

beforeAll(async () => {
  await importFiles(odd, oddSeries);
  await importFiles(empty, { 'metadata.csv': 'series_id,title\nNOTHING,Described only\n' });
  [sample, others, nothing] = await Promise.all([
    startExplorer(),
    startExplorer('--store', odd),
    startExplorer('--store', empty),
  ]);
});
afterAll(() => {
  for (const { child } of [sample, others, nothing]) child.kill('SIGKILL');
});

const entries = (page: Page) => page.evaluate<number>('history.length');

/**
 * Stops the clock of a page, so that a busy machine makes no pause between keys; it goes on for the time that is
 * given.
 */
async function stopClock(page: Page): Promise<(ms: number) => Promise<void>> {
  await page.clock.install({ time: '2026-01-01T00:00:00Z' });
  await page.clock.pauseAt('2026-01-01T00:00:01Z');
  return (ms) => page.clock.runFor(ms);
}

/** Replaces the date in a field, key by key. */
async function typeDate(page: Page, name: string, keys: string): Promise<void> {
  await page.getByRole('textbox', { name, exact: true }).selectText();
  for (const key of keys) await page.keyboard.press(key);
}

describe('the explorer, with a keyboard', () => {
  it('takes a date that is typed key by key, and nothing of its half-typed years', async () => {
    const { page, said } = await openPage(`${sample.url}?series=GDP&as-of=2009-01-30&to=2012-12-31`);
    await page.getByRole('slider').waitFor();
    const before = await entries(page);
    const pass = await stopClock(page);
    await typeDate(page, 'As of', '2009-02-27');
    await pass(300);
    expect(page.url()).toContain('as-of=2009-01-30');
    await page.keyboard.press('Enter');
    await pass(300);
    expect(page.url()).toContain('as-of=2009-02-27');
    await typeDate(page, 'From', '2005-01-01');
    await page.keyboard.press('Tab');
    await pass(300);
    expect(page.url()).toContain('from=2005-01-01&to=2012-12-31');
    expect((await entries(page)) - before).toBe(2);
    // BEA (ALFRED, series GDP): the second estimate of the fourth quarter of 2008.
    expect((await rowOf(page, '2008-10-01'))[1]).toBe('14,200.3');
    expect(said).toEqual([]);
  });

  it('marks a date that is none, in any language of the browser, and brings back the day before when it is left', async () => {
    for (const locale of ['en-US', 'de-DE']) {
      const { page } = await openPage(`${sample.url}?series=GDP&as-of=2009-01-30`, { locale });
      const field = page.getByRole('textbox', { name: 'As of' });
      expect(await field.inputValue()).toBe('2009-01-30');
      await typeDate(page, 'As of', '2009-02-30');
      await page.keyboard.press('Enter');
      await page.getByText('Dates are YYYY-MM-DD.').waitFor();
      expect(await field.getAttribute('aria-invalid')).toBe('true');
      expect(await findingsOfAxe(page)).toEqual([]);
      await page.getByRole('slider').focus();
      expect(await field.inputValue()).toBe('2009-01-30');
      expect(page.url()).toContain('as-of=2009-01-30');
    }
  });

  it('leaves one step back for an arrow key that is held down, and keeps what is chosen meanwhile', async () => {
    const { page, said } = await openPage(`${sample.url}?series=GDP&as-of=2009-01-30&from=2008-01-01`);
    const slider = page.getByRole('slider');
    await slider.waitFor();
    const before = await entries(page);
    const pass = await stopClock(page);
    for (let i = 0; i < 30; i += 1) await slider.press('ArrowLeft');
    const about = (await slider.getAttribute('aria-valuetext')) ?? '';
    // The 30th vintage before that of 30 January 2009 (ALFRED, series GDP).
    expect(about).toContain('vintage 177 of 395');
    await pass(300);
    const address = page.url();
    expect(address).toContain(`as-of=${/\d{4}-\d\d-\d\d/.exec(about)?.[0]}`);
    expect((await entries(page)) - before).toBe(1);
    await slider.press('ArrowRight');
    await page.getByRole('checkbox', { name: 'Latest' }).uncheck();
    expect(await slider.getAttribute('aria-valuetext')).toContain('vintage 178 of 395');
    expect(page.url()).toContain('hide=latest');
    expect((await entries(page)) - before).toBe(2);
    await page.goBack();
    expect([page.url(), await slider.getAttribute('aria-valuetext')]).toEqual([address, about]);
    expect(said).toEqual([]);
  });

  it('opens the first series found by Enter, however fast it is typed', async () => {
    const { page } = await openPage(sample.url);
    await page.getByRole('searchbox').focus();
    await page.keyboard.type('unemployment rate');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: /^Unemployment Rate .*UNRATE$/ }).waitFor();
  });

  it('goes through what the search found with the arrow keys, and closes it with Escape or by leaving', async () => {
    const { page } = await openPage(`${sample.url}?series=GDP`);
    const found = page.getByRole('search').getByRole('link');
    await page.getByRole('searchbox').fill('gross');
    await found.nth(1).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    expect(await found.nth(1).evaluate('document.activeElement.textContent')).toBe(
      await found.nth(1).textContent(),
    );
    await page.keyboard.press('Escape');
    expect([await found.count(), await page.evaluate('document.activeElement.type')]).toEqual([0, 'search']);
    await page.getByRole('searchbox').fill('gross domestic');
    await found.first().waitFor();
    await page.getByRole('slider').focus();
    expect(await found.count()).toBe(0);
  });

  it('brings the revisions of a date into view, and goes back to the date when they are closed', async () => {
    const { page } = await openPage(`${sample.url}?series=GDP`);
    const date = page.getByRole('button', { name: '2020-10-01' });
    await date.press('Enter');
    const heading = page.getByRole('heading', { name: 'Revisions of 2020-10-01' });
    await heading.waitFor();
    const isInView =
      '(e => e.top >= 0 && e.bottom <= innerHeight)(document.activeElement.getBoundingClientRect())';
    expect(await page.evaluate(`[document.activeElement.textContent, ${isInView}]`)).toEqual([
      'Revisions of 2020-10-01',
      true,
    ]);
    await page.getByRole('button', { name: 'Close' }).press('Enter');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('2020-10-01');
  });
});

describe('a command that the explorer shows', () => {
  it('is copied', async () => {
    const { page } = await openPage(`${sample.url}?series=GDP&as-of=2009-01-30`, {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await page.getByRole('button', { name: 'Copy command of As of' }).click();
    await page.getByText('The command is copied.').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
      'asof observations GDP --as-of 2009-01-30 --from 2004-01-01',
    );
  });

  it('is selected where the browser has no clipboard', async () => {
    const { page, said } = await openPage(`${sample.url}?series=GDP`);
    await page.evaluate(`Object.defineProperty(navigator, 'clipboard', { value: undefined })`);
    await page.getByRole('button', { name: 'Copy command of As of' }).click();
    await page.getByText('The command is selected: copy it with Ctrl-C or ⌘C.').waitFor();
    expect(await page.evaluate('String(getSelection())')).toMatch(/^asof observations GDP --as-of /);
    expect(said).toEqual([]);
  });
});

describe('what is beside the views', () => {
  it('has nothing that axe finds: a wrong part, and a date without values', async () => {
    const { page } = await openPage(`${sample.url}?series=GDP&date=1800-01-01&hide=all`);
    await page.getByRole('alert').getByText('can be latest, first or recessions').waitFor();
    await page.getByText('No value was published for 1800-01-01.').waitFor();
    expect(await findingsOfAxe(page)).toEqual([]);
  });

  it('has the colours that a system prescribes, each line another, and nothing that axe finds', async () => {
    const { page } = await openPage(`${sample.url}?series=GDP`, { forcedColors: 'active' });
    await page.getByRole('slider').waitFor();
    const colours = await page.evaluate<string[]>(
      `['--as-of', '--latest', '--first'].map((name) => getComputedStyle(document.documentElement).getPropertyValue(name))`,
    );
    expect(new Set(colours).size).toBe(3);
    const asOf = `getComputedStyle(document.documentElement).getPropertyValue('--as-of')`;
    expect(await page.evaluate(asOf)).toBe('Highlight');
    await page.getByRole('searchbox').fill('gross');
    await page.getByRole('search').getByRole('link').first().waitFor();
    expect(await findingsOfAxe(page)).toEqual([]);
  });
});

describe('a calendar in the explorer', () => {
  // The page and its service ask the clock of this machine.
  const today = utcDay(new Date());
  const [published, due] = [addDays(today, -5), addDays(today, 3)];
  let calendar: StartedExplorer;
  beforeAll(async () => {
    const path = newStorePath(folder);
    const days = [addDays(today, -90), addDays(today, -60), addDays(today, -31), published];
    await importFiles(
      path,
      { 'facts.csv': facts(...days.map((day, i) => `PAYEMS 2026-0${i + 1}-01 ${day} ${i}`)) },
      { latest: today },
    );
    await writeSightings(path, [
      lookAtJobs(published, [due, addDays(today, 30)], [published, addDays(today, 60)]),
    ]);
    calendar = await startExplorer('--store', path);
  });
  afterAll(() => calendar.child.kill('SIGKILL'));

  it('is a list of the releases of the next two weeks on the first page, which says how to get it otherwise', async () => {
    const { page, said } = await openPage(calendar.url);
    const strip = page.getByRole('region', { name: 'Coming releases' });
    await strip.getByText('08:30 (New York) · Employment Situation').waitFor();
    expect(await strip.locator('time').allTextContents()).toEqual([
      expect.stringMatching(`^[MTWFS][a-z]{2} ${due}$`),
    ]);
    expect(await strip.locator('code').textContent()).toMatch(
      `asof calendar --from ${today} --to ${addDays(today, 14)}`,
    );
    expect(await findingsOfAxe(page)).toEqual([]);
    await page.goto(others.url);
    await page.getByText('No calendar of this store lists a release in the next two weeks').waitFor();
    expect(said).toEqual([]);
  });

  it('marks the next release of a series on the chart, and says it in words', async () => {
    const { page, said } = await openPage(`${calendar.url}?series=PAYEMS`);
    await page
      .getByText(
        `Next release: ${due} at 08:30 (America/New_York), official time. The newest figure is 5 days old.`,
      )
      .waitFor();
    expect(await findingsOfAxe(page)).toEqual([]);
    expect(said).toEqual([]);
  });
});

describe('odd series', () => {
  it('are drawn with titles that are only text, also where they have HTML in them', async () => {
    const { page, said, asked } = await openPage(`${others.url}?series=HOSTILE&date=2020-01-01`);
    await page.getByRole('heading', { level: 1, name: hostile }).waitFor();
    expect(await page.title()).toBe(`HOSTILE: ${hostile} – asof`);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: /^SVG of (As of|Curve)/ }).click(),
    ]);
    const [text] = await (await download.createReadStream()).toArray();
    expect(String(text)).toContain('&lt;img src=x onerror=');
    expect(String(text)).not.toContain('<img');
    expect(await page.locator('img').count()).toBe(0);
    await page.goto(others.url);
    await page.getByRole('searchbox').fill('hostile');
    await page.getByRole('search').getByRole('link', { name: hostile }).waitFor();
    expect([said, [...asked]]).toEqual([[], [new URL(others.url).origin]]);
  });

  it('keep to the width of a phone, however long their words and large their numbers are', async () => {
    const { page } = await openPage(`${others.url}?series=ONE`, { viewport: { width: 360, height: 740 } });
    await page.getByText('1 vintage of 2020-02-01').waitFor();
    const width = () => page.evaluate<number>('document.documentElement.scrollWidth');
    expect(await width()).toBeLessThanOrEqual(360);
    await page.goto(`${others.url}?series=HUGE`);
    await page.getByRole('slider').waitFor();
    expect(await width()).toBeLessThanOrEqual(360);
    // The numbers beside the chart leave most of it to the lines.
    expect((await page.locator('.u-over').first().boundingBox())?.width).toBeGreaterThan(200);
    await page.goto(others.url);
    await page.getByText('Verylongword').waitFor();
    expect(await width()).toBeLessThanOrEqual(360);
  });

  it('have tables on a phone that are wider than it, and whose captions are whole and stay in sight', async () => {
    const { page } = await openPage(`${others.url}?series=HUGE`, { viewport: { width: 360, height: 740 } });
    const caption = page.locator('caption span').first();
    await caption.waitFor();
    const ends = () =>
      page.evaluate<number[]>(`(() => {
        const box = document.querySelector('caption').closest('.scroll').getBoundingClientRect();
        const { left, right } = document.querySelector('caption span').getBoundingClientRect();
        return [left - box.left, box.right - right];
      })()`);
    const table = page.locator('table').first();
    expect((await table.boundingBox())?.width).toBeGreaterThan(360);
    for (const scrolled of [0, 150]) {
      await page.locator('.scroll').first().evaluate(`(box) => { box.scrollLeft = ${scrolled}; }`);
      for (const space of await ends()) expect([scrolled, space > 0]).toEqual([scrolled, true]);
    }
  });

  it('may have ids with signs of addresses and shells in them', async () => {
    const { page } = await openPage(others.url);
    await page.getByRole('link', { name: 'A & B: 50%(+)' }).click();
    expect((await rowOf(page, '2020-01-01'))[1]).toBe('7');
    const command = (await page.locator('code').first().textContent()) ?? '';
    expect(command).toMatch(/^asof observations 'A & B: 50%\(\+\)' --as-of 2020-02-01 --store /);
    await page.reload();
    expect((await rowOf(page, '2020-01-01'))[1]).toBe('7');
  });

  it('may be none: an empty store says how to add some', async () => {
    const { page, said } = await openPage(nothing.url);
    await page.getByText('There is no series yet: asof import and asof pull add series.').waitFor();
    await page.getByRole('link', { name: 'Yield curve' }).click();
    await page.getByText('There are no curves of this type.').waitFor();
    await page.getByRole('link', { name: 'Insider clusters' }).click();
    await page.getByText('0 clusters: the store has no filing. asof pull sec').waitFor();
    expect(said).toEqual([]);
  });

  it('are shown as they are in the store when they are opened, after an import too', async () => {
    const { page } = await openPage(`${others.url}?series=ONE`);
    await page.getByText('1 vintage of 2020-02-01').waitFor();
    await importFiles(odd, {
      'facts.csv': 'series_id,date,as_of_date,value\nONE,2020-02-01,2020-03-01,-2.5\n',
    });
    await page.getByRole('navigation').getByRole('link', { name: 'Series' }).click();
    await page.getByRole('link', { name: /^Verylong.* ONE / }).click();
    await page.getByText('2 vintages from 2020-02-01 to 2020-03-01').waitFor();
    expect((await rowOf(page, '2020-02-01'))[4]).toBe('-2.5');
  });
});
