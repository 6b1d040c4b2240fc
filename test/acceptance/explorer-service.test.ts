import type { Page } from 'playwright-core';
import { afterEach, describe, expect, it } from 'vitest';
import { samplePath } from '../../src/platform/installation.ts';
import { shippedPlans } from '../../src/server/keys/plans.ts';
import { openStore } from '../../src/store/open.ts';
import { browserOfTests, findingsOfAxe, rowOf } from '../support/explorer-pages.ts';
import { behindPrefix, type Running, startService, unlimited } from '../support/modes.ts';

const openPage = browserOfTests();

const crisis = '?series=GDP&as-of=2009-01-30&from=2005-01-01&to=2012-12-31';

/** Everything that a page can keep, and its address and content. */
const keptByPage = `JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href, history.state,
  document.documentElement.outerHTML])`;

describe('the explorer of a service, in a browser', () => {
  let service: Running;

  async function serviceOf(plan = unlimited): Promise<Running> {
    service = await startService({ openStore: () => openStore(samplePath()), explorer: true, plan });
    return service;
  }

  afterEach(() => service.stop());

  async function giveKey(page: Page, key: string): Promise<void> {
    await page.getByLabel('API key').fill(key);
    await page.getByRole('button', { name: 'Use this key' }).click();
  }

  it('asks for the key, and keeps it in memory alone', async () => {
    const { url, key } = await serviceOf();
    const { page, said } = await openPage(`${url}/${crisis}`);
    await page.getByText('This service answers with a key.').waitFor();
    // The page asks nothing before, so that no refusal is on the console.
    expect([said, await findingsOfAxe(page)]).toEqual([[], []]);
    await giveKey(page, 'asof_live_sk_wrong');
    await page.getByText('The service says: invalid API key').waitFor();
    await giveKey(page, key);
    await page.getByRole('heading', { name: 'GDP Gross Domestic Product' }).waitFor();
    expect(await rowOf(page, '2008-10-01')).toContain('14264.6');
    expect(await page.locator('code').first().textContent()).toContain(`--to 2012-12-31 --base-url ${url}`);
    const kept = await page.evaluate<string>(keptByPage);
    expect(kept).not.toContain(key);
    await page.reload();
    await page.getByLabel('API key').waitFor();
  });

  it('takes only a key that a request can carry', async () => {
    const { url, key } = await serviceOf();
    const { page, said } = await openPage(`${url}/?series=GDP`);
    await giveKey(page, `${key}…`);
    expect(await page.evaluate(`document.querySelector('.key input').validity.patternMismatch`)).toBe(true);
    await giveKey(page, ` ${key} `);
    await page.getByRole('slider').waitFor();
    expect(said).toEqual([]);
  });

  it('says that a quota is used up, and for how long', async () => {
    const { url, key } = await serviceOf({ ...unlimited, name: 'three', ratePerMinute: 3 });
    const { page } = await openPage(`${url}/?series=GDP`);
    await giveKey(page, key);
    await page
      .getByRole('alert')
      .getByText(/rate limit of 3 requests per minute exceeded; .* again in \d+ s/)
      .waitFor();
  });

  it('says what a plan does not allow, and takes another key', async () => {
    const free = shippedPlans.get('free');
    const { url, key } = await serviceOf(free);
    const { page } = await openPage(`${url}/?series=GDP`);
    await giveKey(page, key);
    await page
      .getByRole('alert')
      .getByText("point-in-time queries need the pro plan or higher; this key is on 'free'")
      .waitFor();
    await page.getByRole('button', { name: 'Use another key' }).click();
    await page.getByLabel('API key').waitFor();
    expect(await page.getByRole('alert').textContent()).toBe('');
  });

  it('shows all yield curves on a plan that gives 40,000 rows in one answer', async () => {
    const { url, key } = await serviceOf({ ...unlimited, name: 'small', maxRows: 40_000 });
    const { page, said } = await openPage(`${url}/?view=curve&date=1990-01-02&vs=2025-12-31`);
    await giveKey(page, key);
    // Treasury's par yields of 2 January 1990 and 31 December 2025.
    expect((await rowOf(page, '10Y')).slice(0, 3)).toEqual(['10Y', '7.94', '4.18']);
    await page.getByText('9005 trade dates from 1990-01-02 to 2025-12-31').waitFor();
    expect(said).toEqual([]);
  });

  it('says that it waits for a slow answer, and shows what was asked for last', async () => {
    const { url, key } = await serviceOf();
    const { page } = await openPage(`${url}/?view=clusters`);
    await giveKey(page, key);
    await page.getByText('public on 2026-06-02').waitFor();
    await page.route('**/v1/series/**', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 1500));
      await route.continue();
    });
    await page.evaluate(
      `history.pushState(null, '', '?series=GDP'); dispatchEvent(new PopStateEvent('popstate'))`,
    );
    await page.getByText('Waiting for the service …').waitFor();
    await page.getByRole('link', { name: 'Yield curve' }).click();
    await page.getByRole('heading', { name: 'Treasury par yield curve' }).waitFor();
    await page.waitForTimeout(2000);
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Treasury par yield curve');
    expect(await page.getByText('Waiting for the service …').count()).toBe(0);
  });

  it('goes on after the service was gone', async () => {
    const { url, key } = await serviceOf();
    const { page } = await openPage(`${url}/?series=GDP`);
    await giveKey(page, key);
    await page.getByRole('slider').waitFor();
    await page.route('**/v1/**', (route) =>
      route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>502</h1>' }),
    );
    await page.getByRole('button', { name: 'Save Latest as CSV' }).click();
    await page.getByText('Not done: the service answered with status 502').waitFor();
    // What is there needs no service.
    await page.getByRole('slider').press('Home');
    await page.waitForURL(/as-of=1991-12-04/);
    await page.getByRole('link', { name: 'Yield curve' }).click();
    await page.getByRole('alert').getByText('the service answered with status 502').waitFor();
    await page.unroute('**/v1/**');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Treasury par yield curve' }).waitFor();
  });

  it('works below the prefix of a proxy, and names that in its commands', async () => {
    const { url, key } = await serviceOf();
    const proxy = await behindPrefix(url, '/data/v0');
    const { page, asked } = await openPage(`${proxy.url}/?series=GDP`);
    await giveKey(page, key);
    await page.getByRole('slider').waitFor();
    expect(await page.locator('code').nth(1).textContent()).toBe(
      `asof observations GDP --base-url ${proxy.url}`,
    );
    expect([...asked]).toEqual([new URL(proxy.url).origin]);
    await proxy.stop();
  });
});
