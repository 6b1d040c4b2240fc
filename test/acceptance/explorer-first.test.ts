import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { explorerOfTests, findingsOfAxe, rowOf } from '../support/explorer-pages.ts';

const { open, url } = explorerOfTests();

async function savedSvg(page: Page): Promise<string> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'SVG of As of' }).click(),
  ]);
  return readFileSync(await download.path(), 'utf8');
}

describe('the first page of the explorer', () => {
  it('has the best-known series of six subjects with their lines and newest values, and a difference that leads to its day', async () => {
    const { page, said } = await open();
    // BEA (ALFRED, series GDP): the third quarter of 2023 in its second estimate and after the annual update of 2024.
    const sentence = 'On 20 December 2023, GDP of 2023 Q3 was 27,644.463; today it is 27,967.697 (+1.2 %).';
    await page.locator('.hero').getByText(sentence).waitFor();
    // The last vintage in ALFRED's file of the sample.
    await page.locator('.hero').getByText('The data end on 19 December 2024.').waitFor();
    await page.locator('.card', { hasText: 'GDP' }).getByText('29,374.914').waitFor();
    const headings = await page.locator('.topics h2').allTextContents();
    expect(headings).toEqual(['Output', 'Jobs', 'Prices', 'Rates', 'Housing', 'Trade']);
    const lines =
      '[...document.querySelectorAll(".card path")].filter((one) => one.getAttribute("d").length > 200).length';
    expect(await page.evaluate(lines)).toBe(12);
    await page.getByRole('link', { name: sentence }).click();
    await page.waitForURL(/series=GDP&as-of=2023-12-20/);
    await page.locator('.sentence').getByText(sentence).waitFor();
    expect(said).toEqual([]);
  });

  it.each([
    ['', 1200],
    ['', 390],
    ['?series=GDP', 390],
    ['?view=curve', 390],
    ['?view=clusters', 390],
  ])(
    'keeps what is on the page in its place while the rest comes: %s at %d pixels',
    async (search, width) => {
      const script = `window.shifted = 0;
      new PerformanceObserver((list) => { for (const { value } of list.getEntries()) window.shifted += value; })
        .observe({ type: 'layout-shift', buffered: true });`;
      const { page } = await open(search, { script, viewport: { width, height: 900 } });
      await page.locator('main h1').waitFor();
      await page.waitForLoadState('networkidle');
      expect(await page.evaluate('window.shifted')).toBeLessThan(0.02);
    },
  );

  it('leads to its search with the key /, whose results have units and vintages', async () => {
    const { page } = await open();
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('inflation');
    const first = page.getByRole('search').getByRole('link').first();
    await first.getByText('CPIAUCSL').waitFor();
    expect(await first.textContent()).toMatch(/monthly · Index 1982-1984=100 · vintages 19\d\d–2024/);
    expect(await findingsOfAxe(page)).toEqual([]);
  });
});

describe('a series in the explorer', () => {
  it('opens a year before its newest vintage, and says in a sentence that moves with the slider what changed', async () => {
    const { page, said } = await open('?series=GDP');
    const sentence = page.locator('.sentence');
    await sentence
      .getByText('On 29 November 2023, GDP of 2023 Q3 was 27,644.463; today it is 27,967.697')
      .waitFor();
    await sentence.getByText('The data end on 19 December 2024.').waitFor();
    await page.getByRole('textbox', { name: 'As of' }).fill('2009-01-29');
    await page.getByRole('textbox', { name: 'As of' }).press('Enter');
    await page.waitForURL(/as-of=2009-01-29/);
    await page.getByRole('slider').press('ArrowRight');
    // BEA (ALFRED, series GDP).
    await sentence
      .getByText('On 30 January 2009, GDP of 2008 Q4 was 14,264.6; today it is 14,608.2 (+2.4 %).')
      .waitFor();
    expect(said).toEqual([]);
  });

  it('has a table that begins with the newest date known on the day; dates published later follow', async () => {
    const { page } = await open('?series=GDP&as-of=2009-01-30');
    const table = page.getByRole('region', { name: 'Values known on 2009-01-30' });
    await table.getByRole('button', { name: '2008-10-01' }).waitFor();
    const dates = await table.locator('tbody th').allTextContents();
    // BEA published the fourth quarter of 2008 on this day; the third quarter of 2024 is the newest of the sample.
    const later = dates.indexOf('2024-07-01');
    expect([dates[0], dates[1], dates[later - 1]]).toEqual(['2008-10-01', '2008-07-01', '2004-01-01']);
    expect(dates[later + 1]).toBe('2024-04-01');
    await page.getByRole('slider').press('End');
    await expect.poll(() => page.locator('tbody th').first().textContent()).toBe('2024-07-01');
  });

  it('has growth, a logarithmic scale and years as buttons', async () => {
    const { page } = await open('?series=GDP&as-of=2009-01-30&range=10y');
    await page.getByRole('button', { name: '% from a year ago' }).click();
    await page.waitForURL(/units=pc1/);
    // 14264.6 for 2008 Q4 and 14031.2 for 2007 Q4, in the vintage of 30 January 2009.
    expect((await rowOf(page, '2008-10-01')).slice(0, 3)).toEqual(['2008-10-01', '1.66344', '2009-01-30']);
    expect(await savedSvg(page)).toContain('>Percent Change from Year Ago</text>');
    expect(await page.getByRole('button', { name: 'Log' }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Level' }).click();
    await page.getByRole('button', { name: 'Log' }).click();
    await page.getByRole('button', { name: 'Max' }).click();
    await page.waitForURL(/log=on&range=max/);
    const ticks = (await savedSvg(page)).match(/>(?:200|500|1,000|2,000|5,000|10,000|20,000)<\/text>/g);
    expect(ticks).toHaveLength(7);
    expect(await findingsOfAxe(page)).toEqual([]);
  });

  it('shows the values at the pointer and at a finger', async () => {
    const { page } = await open('?series=GDP&as-of=2009-01-30&from=2005-01-01&to=2012-12-31');
    const tip = async () => (await page.locator('.tip').textContent())?.replaceAll(/\s+/g, ' ');
    const plot = page.locator('.u-over').first();
    const { x = 0, y = 0, width = 0 } = (await plot.boundingBox()) ?? {};
    // The fourth quarter of 2008 is 1369 of the 2921 days of the chart from the left.
    await page.mouse.move(x + (width * 1369) / 2921, y + 100);
    const text =
      '2008-10-01as of 2009-01-3014,264.6latest14,608.209first release14,264.6latest − as of+343.609 (+2.41 %)';
    await expect.poll(tip, { timeout: 5000 }).toBe(text);
    await page.mouse.move(x, y - 200);
    await page.locator('.tip').waitFor({ state: 'detached' });
    const touch = `new Touch({ identifier: 1, target: document.querySelector('.u-over'), clientX: ${x + (width * 1369) / 2921}, clientY: ${y + 50} })`;
    await page.evaluate(
      `document.querySelector('.u-over').dispatchEvent(new TouchEvent('touchmove', { touches: [${touch}], bubbles: true }))`,
    );
    await expect.poll(tip, { timeout: 5000 }).toBe(text);
  });

  it('can have a second series with a scale of its own, and every vintage as a faint line, also in its picture', async () => {
    const { page, said } = await open('?series=GDP&as-of=2009-01-30');
    await page.getByLabel('Compare with').fill('unrate');
    await page.getByLabel('Compare with').press('Enter');
    await page.waitForURL(/with=UNRATE/);
    await page.locator('.units').getByText('Percent', { exact: true }).waitFor();
    await page.getByRole('checkbox', { name: 'All vintages' }).check();
    await page.waitForURL(/vintages=all/);
    const svg = await savedSvg(page);
    expect(svg).toContain('Billions of Dollars (left) and Percent (right)');
    expect(svg).toMatch(/font-weight="600"[^>]*>UNRATE<\/text>/);
    // GDP has 395 vintages (ALFRED); those of the first years end before the chart begins.
    const faint = svg.match(/stroke-opacity/g)?.length ?? 0;
    expect(faint).toBeGreaterThan(200);
    expect(faint).toBeLessThanOrEqual(395);
    // NBER announced on 1 December 2008 that a recession had begun in December 2007, and not when it would end.
    expect(svg.replaceAll(/\s*<[^>]+>\s*/g, ' ')).toMatch(
      /shaded: +recessions +as +announced +by +NBER +up +to +2009-01-30/,
    );
    expect(await findingsOfAxe(page)).toEqual([]);
    expect(said).toEqual([]);
  });

  it('marks the vintages that revised the most, which a click shows', async () => {
    const { page } = await open('?series=GDP');
    const marks = page.getByRole('group', { name: 'The largest revisions' });
    // BEA's comprehensive revision of July 2013.
    await marks.getByRole('button', { name: '2013-07-31' }).click();
    await page.waitForURL(/as-of=2013-07-31/);
  });
});

describe('what is not there, in the explorer', () => {
  it('of a series says so and leads to those with a similar id', async () => {
    const { page } = await open('?series=GDPX');
    await page.getByText('This store has no series of this id. The nearest:').waitFor();
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    expect(await findingsOfAxe(page)).toEqual([]);
    await page.getByRole('main').getByRole('link', { name: 'Gross Domestic Product GDP' }).first().click();
    await page.getByRole('heading', { name: 'Gross Domestic Product GDP' }).waitFor();
  });

  it('of days and dates without a value says so and leads to those with some', async () => {
    const { page } = await open('?series=GDP&as-of=1950-01-01');
    await page.getByText('Nothing was recorded before 1991-12-04, the first vintage.').waitFor();
    await page.getByRole('button', { name: 'Show 1991-12-04' }).click();
    await page.waitForURL(/as-of=1991-12-04/);
    await page.goto(`${url()}?series=GDP&from=2090-01-01`);
    await page.getByText('There is no value of 2090-01-01 to ').waitFor();
    expect(await findingsOfAxe(page)).toEqual([]);
    await page.getByRole('button', { name: 'Show these' }).click();
    await page.waitForURL(/range=max$/);
    await page.getByRole('button', { name: '2023-07-01' }).waitFor();
  });

  it('of a second series says so and keeps the first', async () => {
    const { page } = await open('?series=GDP&with=NOPE');
    await page.getByRole('alert').getByText("series 'NOPE' not found").waitFor();
    await page.getByRole('slider').waitFor();
  });

  it('of a second series leads to those with a similar id', async () => {
    const { page } = await open('?series=GDP&with=UNRAT');
    await page.getByRole('alert').getByText("series 'UNRAT' not found").waitFor();
    expect(await findingsOfAxe(page)).toEqual([]);
    await page.getByRole('button', { name: 'Compare with UNRATE', exact: true }).click();
    await page.waitForURL(/with=UNRATE$/);
    await page.locator('.units').getByText('Percent', { exact: true }).waitFor();
    expect(await page.getByRole('alert').textContent()).toBe('');
  });

  it('of real yields after their last day says so and shows that day', async () => {
    const { page } = await open('?view=curve&date=2025-12-31&vs=2024-12-31');
    await page.getByRole('button', { name: 'Real yields (TIPS)' }).click();
    await page.waitForURL(/date=2022-11-25/);
    await page.getByRole('alert').getByText('these curves end on 2022-11-25, which is shown').waitFor();
  });

  it('of clusters says why, and leads to others', async () => {
    const { page } = await open('?view=clusters&ticker=ZZZZ');
    await page.getByText('0 clusters: the store has no filing of ticker ZZZZ.').waitFor();
    await page.getByRole('button', { name: 'show all companies' }).click();
    await page.getByRole('cell', { name: '2026-06-02' }).first().waitFor();
    await page.getByRole('button', { name: 'Value' }).click();
    await page.waitForURL(/sort=total_value\+desc/);
    const values = await page.locator('.clusters > tbody > tr > td:nth-child(4)').allTextContents();
    const sorted = values.toSorted((a, b) => Number(b.replace(/\D/g, '')) - Number(a.replace(/\D/g, '')));
    expect(values).toEqual(sorted);
    await page.goto(`${url()}?view=clusters&ticker=MAIA&min-insiders=50`);
    await page.getByText('0 clusters of MAIA, whose newest filing is of 2026-06-02.').waitFor();
    await page.goto(`${url()}?view=clusters&as-of=2000-01-01&days=7`);
    await page.getByText('0 clusters: the store has no filing up to 2000-01-01.').waitFor();
    await page.getByRole('button', { name: 'show all clusters' }).click();
    await page.getByRole('cell', { name: '2026-06-02' }).first().waitFor();
  });
});
