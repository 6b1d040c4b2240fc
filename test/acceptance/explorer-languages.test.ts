import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserOfTests, type StartedExplorer, startExplorer } from '../support/explorer-pages.ts';

const openPage = browserOfTests();

let explorer: StartedExplorer;

beforeAll(async () => {
  explorer = await startExplorer();
});
afterAll(() => explorer.child.kill('SIGKILL'));

/** A script after which a browser has a language, or none. */
const speaking = (language: string | undefined) => `
  Object.defineProperty(Navigator.prototype, 'language', { get: () => ${JSON.stringify(language)} });
  Object.defineProperty(Navigator.prototype, 'languages', { get: () => ${JSON.stringify([language].flat())} });`;

describe('the explorer in a browser', () => {
  it.each([
    ['whose language is en-US@posix', { script: speaking('en-US@posix') }, 'en-US@posix'],
    ['whose language is empty', { script: speaking('') }, ''],
    ['without a language', { script: speaking(undefined) }, undefined],
    ['whose language is de-DE', { locale: 'de-DE' }, 'de-DE'],
  ])('%s shows the chart and the numbers as in every other', async (_, options, language) => {
    const { page, said } = await openPage(
      `${explorer.url}?series=GDP&as-of=2009-01-30&from=2005-01-01&to=2009-12-31`,
      options,
    );
    expect(await page.evaluate('navigator.language')).toBe(language);
    await page.locator('.plot canvas').waitFor();
    expect(await page.getByRole('row', { name: '2008-10-01' }).first().textContent()).toContain('14264.6');
    expect(said).toEqual([]);
  });

  it('that cannot run it shows why, as text, in the page', async () => {
    const { page } = await openPage(explorer.url, {
      script: 'delete window.ResizeObserver; delete window.URL;',
    });
    const text = await page.getByRole('alert').textContent();
    expect(text).toMatch(/^The explorer did not start: .*URL.*\. The command asof answers/);
  });

  it('that cannot load its script says so in the page', async () => {
    const { page } = await openPage(explorer.url, { without: '**/explorer/page.js' });
    expect(await page.getByRole('alert').textContent()).toMatch(/page\.js could not be loaded/);
  });
});

describe('the search of the explorer', () => {
  it.each([
    ['inflation', 'CPIAUCSL'],
    ['jobs', 'PAYEMS'],
    ['unemploymnet', 'UNRATE'],
    ['gd', 'GDP'],
  ])('finds for %j first what `asof series search` finds first: %s', async (text, id) => {
    const { page, said } = await openPage(explorer.url);
    await page.getByRole('searchbox').fill(text);
    const first = page.getByRole('search').getByRole('link').first();
    expect(await first.locator('.id').textContent()).toBe(id);
    expect(said).toEqual([]);
  });

  it('says where nothing matches, and shows what is nearest', async () => {
    const { page } = await openPage(explorer.url);
    await page.getByRole('searchbox').fill('PAYEM5X');
    await page.getByRole('search').getByText('Nothing matches “PAYEM5X”; the nearest are shown').waitFor();
  });
});

describe('a picture that the explorer saves', () => {
  async function svgAt(search: string): Promise<string> {
    const { page } = await openPage(`${explorer.url}${search}`);
    const button = page.getByRole('button', { name: 'Save SVG' }).first();
    const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
    return readFileSync(await download.path(), 'utf8');
  }

  /** The colour of the last line that is drawn, and that of a name beside the lines. */
  function coloursIn(svg: string, name: string) {
    const [, last] = [...svg.matchAll(/<(?:path|polyline)[^>]* stroke="(#\w+)"/g)].at(-1) ?? [];
    const [text = ''] = new RegExp(`<text[^>]*>${name}</text>`).exec(svg) ?? [];
    return { last, named: /fill="(#\w+)"/.exec(text)?.[1] };
  }

  it.each([
    ['?series=GDP&as-of=2009-01-30&from=2005-01-01&to=2012-12-31', '2009-01-30'],
    ['?view=curve&date=2007-01-03&vs=2006-01-03', '2007-01-03'],
  ])('draws the line of the day above the others: %s', async (search, name) => {
    const { last, named } = coloursIn(await svgAt(search), name);
    expect(last).toMatch(/^#/);
    expect(named).toBe(last);
  });

  it('says of sampled vintages that they are, as the command does, and not of others', async () => {
    expect(await svgAt('?series=UNRATE&as-of=2009-01-30')).toContain('; UNRATE is sampled');
    expect(await svgAt('?series=GDP&as-of=2009-01-30')).not.toContain('is sampled');
  });
});
